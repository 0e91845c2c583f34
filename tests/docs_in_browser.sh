#!/usr/bin/env bash
# A browser without a network opens /docs and shows every operation of /openapi.json.
#
# Usage: tests/docs_in_browser.sh [program]
# The browser is Debian's chromium, which apt installs where it is missing; without either, the script
# says that it was skipped. The profile is new and empty, and every name but this machine's is unknown
# to the browser. The text is read from the page as the browser has laid it out.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/aludel}")

if ! command -v chromium >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) >/dev/null 2>&1 || true
  fi
  command -v chromium >/dev/null || { echo "skipped: chromium is not installed, and apt cannot install it"; exit 0; }
fi

. tests/with_server.sh
start_server "$program"

timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
  --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
  --user-data-dir="$home/profile" --host-resolver-rules="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1" \
  --window-size=390,844 --enable-logging=stderr --dump-dom "$address/docs" >"$home/dom" 2>"$home/log"
timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
  --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
  --user-data-dir="$home/profile2" --host-resolver-rules="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1" \
  --window-size=390,844 --print-to-pdf="$home/docs.pdf" "$address/docs" >>"$home/log" 2>&1

# The policy of the page refuses what it does not allow, and the browser says so.
if grep -i "content security policy" "$home/log"; then
  echo "the page breaks its own policy" >&2
  exit 1
fi
[ -s "$home/docs.pdf" ] || { echo "the page is not laid out" >&2; cat "$home/log" >&2; exit 1; }

python3 - "$address" "$home/dom" <<'PY'
import html.parser, json, sys, urllib.request

class Shown(html.parser.HTMLParser):
    """The text of each article's head, by the id of the article; what is folded or hidden is not read."""
    def __init__(self):
        super().__init__()
        self.article, self.in_head, self.texts, self.assets = None, False, {}, []
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "article":
            self.article = attributes.get("id")
            assert "hidden" not in attributes
        if tag == "header":
            self.in_head = True
        if tag in ("script", "img", "iframe", "object", "embed", "link"):
            self.assets.append((tag, attributes))
    def handle_endtag(self, tag):
        if tag == "header":
            self.in_head = False
    def handle_data(self, data):
        if self.article and self.in_head:
            self.texts[self.article] = self.texts.get(self.article, "") + data

document = json.load(urllib.request.urlopen(sys.argv[1] + "/openapi.json", timeout=30))
page = Shown()
page.feed(open(sys.argv[2], encoding="utf-8").read())
assert not page.assets, page.assets
count = 0
for path, item in document["paths"].items():
    for method, operation in item.items():
        text = page.texts.get(operation["operationId"], "")
        for part in (method.upper(), path, operation["summary"]):
            assert part in text, f"{part!r} of {operation['operationId']} is not on the page: {text!r}"
        count += 1
assert count > 20, count
print(f"the browser shows all {count} operations")
PY
