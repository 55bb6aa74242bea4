/**
 * Whether an element is shown is asked of thousands of them, and each time the test's browser tries
 * every rule of Ant Design's styles on it. Only those stay that have a say in the answer, and in
 * whether an element can be pressed.
 */
function keepWhatHides(changes: MutationRecord[]): void {
  for (const { target, addedNodes } of changes) {
    for (const node of [target, ...addedNodes]) {
      if (node instanceof HTMLStyleElement && node.sheet) prune(node.sheet)
    }
  }
}

function prune(sheet: CSSStyleSheet): void {
  for (let place = sheet.cssRules.length - 1; place >= 0; place -= 1) {
    const rule = sheet.cssRules[place]
    if (!(rule instanceof CSSStyleRule)) continue
    const { display, visibility, pointerEvents } = rule.style
    if (!display && !visibility && !pointerEvents) sheet.deleteRule(place)
  }
}

new MutationObserver(keepWhatHides).observe(document.head, { childList: true, subtree: true })
