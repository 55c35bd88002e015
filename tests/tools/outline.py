"""What a screen reader finds in a page."""

from html.parser import HTMLParser


class Outline(HTMLParser):
    """The structure that a screen reader uses: headings, tables, figures, ids."""

    VOID = ("meta", "br", "link", "img", "input", "hr")

    def __init__(self, markup):
        super().__init__()
        self.headings, self.faults, self.stack, self.ids = [], [], [], []
        self.tags = []
        self.feed(markup)
        self.close()
        if self.stack:
            self.faults.append(f"left open: {self.stack}")
        if len(set(self.ids)) != len(self.ids):
            self.faults.append("an id appears twice")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag in ("h1", "h2", "h3"):
            level = int(tag[1])
            if level > 1 and (not self.headings or level > self.headings[-1] + 1):
                self.faults.append(f"{tag} out of order")
            self.headings.append(level)
        if tag == "html" and attributes.get("lang") != "en":
            self.faults.append("no language")
        if tag == "th" and attributes.get("scope") not in ("col", "row"):
            self.faults.append("a header cell without scope")
        if attributes.get("role") in ("img", "region") and not attributes.get("aria-label"):
            self.faults.append(f"{tag} without a label")
        if tag in ("script", "iframe", "object", "embed", "link", "img") or any(
            name.startswith("on") or (name in ("src", "href") and not str(value).startswith("#"))
            for name, value in attributes.items()
            if name != "xlink:href"
        ):
            self.faults.append(f"{tag} {attributes} loads or runs something")
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")
