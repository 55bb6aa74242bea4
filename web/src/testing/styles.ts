import { createCache } from '@ant-design/cssinjs'

/**
 * Tests check the visibility of thousands of elements, and each time happy-dom matches all of
 * Ant Design's style rules. Keeps only the rules that affect whether an element is visible or
 * clickable.
 */
function keepVisibilityRules(changes: MutationRecord[]): void {
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

new MutationObserver(keepVisibilityRules).observe(document.head, { childList: true, subtree: true })

/**
 * Ant Design forgets a component's styles with the last use, so each test would compute them anew.
 * Keeps them as used by nobody.
 */
const cache = Object.getPrototypeOf(createCache()) as ReturnType<typeof createCache>
const { opUpdate } = cache
cache.opUpdate = function (key, change) {
  opUpdate.call(this, key, (entry) => change(entry) ?? [0, entry?.[1]])
}
