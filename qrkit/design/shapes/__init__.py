"""Tables of forms: sprites for modules, eyes for finder patterns, icons for layers."""
