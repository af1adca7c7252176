"""Loaded by Schemathesis: see schemathesis.toml."""

import schemathesis


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """No request makes the service call a provider outside: for that it would have to bring a key."""
    config = case.body.get("llm_config") if isinstance(case.body, dict) else None
    if not isinstance(config, dict):
        return
    key = config.get("api_key")
    if isinstance(key, str) and key != "":
        del config["api_key"]


@schemathesis.hook
def filter_case(_context, case):
    """An empty list in a form is meant to be invalid, but it is sent as no part at all."""
    is_form = case.media_type == "multipart/form-data" and isinstance(case.body, dict)
    return not (is_form and [] in case.body.values())
