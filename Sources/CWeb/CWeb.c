// What browsers and tests get from Shunt itself. As arrays in Swift these files would take the compiler a minute.
#include "CWeb.h"

// `#embed` is of C23; the compilers that Shunt is built with have it in every dialect.
#pragma clang diagnostic ignored "-Wc23-extensions"

// The inspector; a test compares the list with the folder.

static const unsigned char api_js[] = {
#embed "../Admin/Inspector/Web/api.js"
};
static const unsigned char body_js[] = {
#embed "../Admin/Inspector/Web/body.js"
};
static const unsigned char chain_js[] = {
#embed "../Admin/Inspector/Web/chain.js"
};
static const unsigned char changes_js[] = {
#embed "../Admin/Inspector/Web/changes.js"
};
static const unsigned char columns_js[] = {
#embed "../Admin/Inspector/Web/columns.js"
};
static const unsigned char compare_js[] = {
#embed "../Admin/Inspector/Web/compare.js"
};
static const unsigned char curl_js[] = {
#embed "../Admin/Inspector/Web/curl.js"
};
static const unsigned char detail_js[] = {
#embed "../Admin/Inspector/Web/detail.js"
};
static const unsigned char dom_js[] = {
#embed "../Admin/Inspector/Web/dom.js"
};
static const unsigned char edit_js[] = {
#embed "../Admin/Inspector/Web/edit.js"
};
static const unsigned char empty_js[] = {
#embed "../Admin/Inspector/Web/empty.js"
};
static const unsigned char environment_js[] = {
#embed "../Admin/Inspector/Web/environment.js"
};
static const unsigned char filter_js[] = {
#embed "../Admin/Inspector/Web/filter.js"
};
static const unsigned char format_js[] = {
#embed "../Admin/Inspector/Web/format.js"
};
static const unsigned char heads_js[] = {
#embed "../Admin/Inspector/Web/heads.js"
};
static const unsigned char holds_js[] = {
#embed "../Admin/Inspector/Web/holds.js"
};
static const unsigned char icon_svg[] = {
#embed "../Admin/Inspector/Web/icon.svg"
};
static const unsigned char icons_js[] = {
#embed "../Admin/Inspector/Web/icons.js"
};
static const unsigned char index_html[] = {
#embed "../Admin/Inspector/Web/index.html"
};
static const unsigned char json_model_js[] = {
#embed "../Admin/Inspector/Web/json-model.js"
};
static const unsigned char json_tree_js[] = {
#embed "../Admin/Inspector/Web/json-tree.js"
};
static const unsigned char json_worker_js[] = {
#embed "../Admin/Inspector/Web/json-worker.js"
};
static const unsigned char keyboard_js[] = {
#embed "../Admin/Inspector/Web/keyboard.js"
};
static const unsigned char list_js[] = {
#embed "../Admin/Inspector/Web/list.js"
};
static const unsigned char login_html[] = {
#embed "../Admin/Inspector/Web/login.html"
};
static const unsigned char login_js[] = {
#embed "../Admin/Inspector/Web/login.js"
};
static const unsigned char main_js[] = {
#embed "../Admin/Inspector/Web/main.js"
};
static const unsigned char markup_js[] = {
#embed "../Admin/Inspector/Web/markup.js"
};
static const unsigned char media_js[] = {
#embed "../Admin/Inspector/Web/media.js"
};
static const unsigned char messages_js[] = {
#embed "../Admin/Inspector/Web/messages.js"
};
static const unsigned char mock_js[] = {
#embed "../Admin/Inspector/Web/mock.js"
};
static const unsigned char network_js[] = {
#embed "../Admin/Inspector/Web/network.js"
};
static const unsigned char numbers_js[] = {
#embed "../Admin/Inspector/Web/numbers.js"
};
static const unsigned char overview_js[] = {
#embed "../Admin/Inspector/Web/overview.js"
};
static const unsigned char palette_js[] = {
#embed "../Admin/Inspector/Web/palette.js"
};
static const unsigned char profiles_js[] = {
#embed "../Admin/Inspector/Web/profiles.js"
};
static const unsigned char quick_js[] = {
#embed "../Admin/Inspector/Web/quick.js"
};
static const unsigned char replay_js[] = {
#embed "../Admin/Inspector/Web/replay.js"
};
static const unsigned char routes_js[] = {
#embed "../Admin/Inspector/Web/routes.js"
};
static const unsigned char rows_js[] = {
#embed "../Admin/Inspector/Web/rows.js"
};
static const unsigned char rule_js[] = {
#embed "../Admin/Inspector/Web/rule.js"
};
static const unsigned char save_js[] = {
#embed "../Admin/Inspector/Web/save.js"
};
static const unsigned char sealed_js[] = {
#embed "../Admin/Inspector/Web/sealed.js"
};
static const unsigned char selection_js[] = {
#embed "../Admin/Inspector/Web/selection.js"
};
static const unsigned char session_js[] = {
#embed "../Admin/Inspector/Web/session.js"
};
static const unsigned char settings_js[] = {
#embed "../Admin/Inspector/Web/settings.js"
};
static const unsigned char sides_js[] = {
#embed "../Admin/Inspector/Web/sides.js"
};
static const unsigned char stream_js[] = {
#embed "../Admin/Inspector/Web/stream.js"
};
static const unsigned char strip_js[] = {
#embed "../Admin/Inspector/Web/strip.js"
};
static const unsigned char style_css[] = {
#embed "../Admin/Inspector/Web/style.css"
};
static const unsigned char timing_js[] = {
#embed "../Admin/Inspector/Web/timing.js"
};
static const unsigned char tls_js[] = {
#embed "../Admin/Inspector/Web/tls.js"
};
static const unsigned char traffic_js[] = {
#embed "../Admin/Inspector/Web/traffic.js"
};

static const shunt_file inspector[] = {
    {"api.js", api_js, sizeof api_js},
    {"body.js", body_js, sizeof body_js},
    {"chain.js", chain_js, sizeof chain_js},
    {"changes.js", changes_js, sizeof changes_js},
    {"columns.js", columns_js, sizeof columns_js},
    {"compare.js", compare_js, sizeof compare_js},
    {"curl.js", curl_js, sizeof curl_js},
    {"detail.js", detail_js, sizeof detail_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"edit.js", edit_js, sizeof edit_js},
    {"empty.js", empty_js, sizeof empty_js},
    {"environment.js", environment_js, sizeof environment_js},
    {"filter.js", filter_js, sizeof filter_js},
    {"format.js", format_js, sizeof format_js},
    {"heads.js", heads_js, sizeof heads_js},
    {"holds.js", holds_js, sizeof holds_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"icons.js", icons_js, sizeof icons_js},
    {"index.html", index_html, sizeof index_html},
    {"json-model.js", json_model_js, sizeof json_model_js},
    {"json-tree.js", json_tree_js, sizeof json_tree_js},
    {"json-worker.js", json_worker_js, sizeof json_worker_js},
    {"keyboard.js", keyboard_js, sizeof keyboard_js},
    {"list.js", list_js, sizeof list_js},
    {"login.html", login_html, sizeof login_html},
    {"login.js", login_js, sizeof login_js},
    {"main.js", main_js, sizeof main_js},
    {"markup.js", markup_js, sizeof markup_js},
    {"media.js", media_js, sizeof media_js},
    {"messages.js", messages_js, sizeof messages_js},
    {"mock.js", mock_js, sizeof mock_js},
    {"network.js", network_js, sizeof network_js},
    {"numbers.js", numbers_js, sizeof numbers_js},
    {"overview.js", overview_js, sizeof overview_js},
    {"palette.js", palette_js, sizeof palette_js},
    {"profiles.js", profiles_js, sizeof profiles_js},
    {"quick.js", quick_js, sizeof quick_js},
    {"replay.js", replay_js, sizeof replay_js},
    {"routes.js", routes_js, sizeof routes_js},
    {"rows.js", rows_js, sizeof rows_js},
    {"rule.js", rule_js, sizeof rule_js},
    {"save.js", save_js, sizeof save_js},
    {"sealed.js", sealed_js, sizeof sealed_js},
    {"selection.js", selection_js, sizeof selection_js},
    {"session.js", session_js, sizeof session_js},
    {"settings.js", settings_js, sizeof settings_js},
    {"sides.js", sides_js, sizeof sides_js},
    {"stream.js", stream_js, sizeof stream_js},
    {"strip.js", strip_js, sizeof strip_js},
    {"style.css", style_css, sizeof style_css},
    {"timing.js", timing_js, sizeof timing_js},
    {"tls.js", tls_js, sizeof tls_js},
    {"traffic.js", traffic_js, sizeof traffic_js},
};

const shunt_file *shunt_inspector_files(size_t *count) {
    *count = sizeof inspector / sizeof *inspector;
    return inspector;
}

static const unsigned char openapi[] = {
#embed "../../docs/openapi.json"
};

shunt_file shunt_openapi(void) { return (shunt_file){"openapi.json", openapi, sizeof openapi}; }

// In the order in which they run; all are in one scope.
static const unsigned char bridge[] = {
#embed "../Engine/Bridge/start.js"
,
#embed "../Engine/Bridge/reply.js"
,
#embed "../Engine/Bridge/events.js"
,
#embed "../Engine/Bridge/webkit.js"
,
#embed "../Engine/Bridge/android.js"
,
#embed "../Engine/Bridge/prompt.js"
,
#embed "../Engine/Bridge/record.js"
};

shunt_file shunt_bridge_script(void) { return (shunt_file){"bridge.js", bridge, sizeof bridge}; }

static const unsigned char session_java[] = {
#embed "../Commands/ClientKit/Sessions/ShuntSession.java"
};

shunt_file shunt_session_java(void) { return (shunt_file){"ShuntSession.java", session_java, sizeof session_java}; }

static const unsigned char session_python[] = {
#embed "../Commands/ClientKit/Sessions/shunt_session.py"
};

shunt_file shunt_session_python(void) {
    return (shunt_file){"shunt_session.py", session_python, sizeof session_python};
}

static const unsigned char session_javascript[] = {
#embed "../Commands/ClientKit/Sessions/shunt-session.mjs"
};

shunt_file shunt_session_javascript(void) {
    return (shunt_file){"shunt-session.mjs", session_javascript, sizeof session_javascript};
}
