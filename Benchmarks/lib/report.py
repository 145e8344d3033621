"""What a person reads."""

from .summary import summarise, verdicts

REFERENCES = ["before", "nginx", "haproxy", "nghttpx", "h2o", "mitmdump"]


def table(case, rounds):
    summary = summarise(case, rounds)
    columns = [column for column in case.columns
               if any(figures["median"][column.key] is not None for figures in summary.values())]
    references = [name for name in REFERENCES if name in summary and len(summary) > 1]
    main, others = columns[0], columns[1:]
    rows = [["", main.heading, "(min)", *(f"x {name}" for name in references), *(c.heading for c in others)]]
    for name, figures in summary.items():
        rows.append([name, number(figures["median"][main.key], main.decimals),
                     f"({number(figures['min'], main.decimals)})",
                     *(number(figures["ratios"].get(reference), 2) for reference in references),
                     *(number(figures["median"][c.key], c.decimals) for c in others)])
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = [f"{case.name}: {case.title}; median of {len(rounds)}"]
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  " + "  ".join(cells).rstrip())
    lines += aims(case, rounds) if "shunt" in summary else []
    return "\n".join(lines)


def aims(case, rounds):
    headings = {column.key: column.heading for column in case.columns}
    for target, figure, met in verdicts(case, rounds):
        peer = "the best peer" if target.peer == "best" else target.peer
        limit = f"{target.limit:g}" + (f" x {peer}" if peer else "")
        sign = ">=" if target.at_least else "<="
        reached = "not measured" if figure is None else f"{figure:.2f}, {'met' if met else 'MISSED'}"
        yield f"  target: {headings[target.metric]} {sign} {limit}: {reached}"


def number(value, decimals):
    return "-" if value is None else f"{value:,.{decimals}f}"
