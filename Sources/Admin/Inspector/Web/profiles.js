// The colours of profiles: production has its own, the others take turns.
const known = new Map();
let turn = 0;

/** Tells the profiles and their kinds. */
export function setProfiles(profiles) {
    for (const { name, kind } of profiles) {
        if (known.get(name)?.kind === kind) continue;
        known.set(name, { kind, name: kind === "production" ? "X" : String(turn++ % 6) });
    }
}

/** `name`: the class of the colour; `kind`: the class of the bar's pattern, for those who do not tell colours apart. */
export const profileStyle = name => known.get(name) ?? { kind: "none", name: "N" };
