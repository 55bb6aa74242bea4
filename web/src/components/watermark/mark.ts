/**
 * The text that lies over the whole page, so that a photograph of the screen says whose it was. One
 * element that nothing can be clicked through to, tiled by its background; whoever takes it out of
 * the page or restyles it in the console gets it back at once.
 */
const ANGLE = -30
const REDRAW_MS = 100
const SMALLEST = 12
const LARGEST = 16
/** The most of a text that is drawn: a tile must fit several times on a phone. */
const CHARACTERS = 40

/** Grows with the window: twelve pixels on a phone, sixteen on a desk. */
export function fontSize(width: number): number {
  return Math.round(Math.min(LARGEST, Math.max(SMALLEST, width / 90)))
}

/** One tile as a picture. The text is data, whatever characters a name has. */
export function tile(text: string, size: number, color: string): string {
  const shown = text.length > CHARACTERS ? `${text.slice(0, CHARACTERS - 1)}…` : text
  // Chinese characters are as wide as they are high, others about half of that.
  const length = [...shown].reduce((sum, char) => sum + (char > 'ÿ' ? 1 : 0.56), 0) * size
  const turn = (Math.abs(ANGLE) * Math.PI) / 180
  const width = Math.ceil(length * Math.cos(turn) + size * 6)
  const height = Math.ceil(length * Math.sin(turn) + size * 6)
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<text x="50%" y="50%" text-anchor="middle" dominant-baseline="middle" fill="${color}" ` +
    `font-family="system-ui, sans-serif" font-size="${size}" ` +
    `transform="rotate(${ANGLE} ${width / 2} ${height / 2})">${escaped(shown)}</text></svg>`
  return `url("data:image/svg+xml,${encodeURIComponent(svg)}")`
}

function escaped(text: string): string {
  const control = /[\u0000-\u001f\u007f]/g
  return text.replace(control, ' ').replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

const LAYER = {
  position: 'fixed',
  inset: '0px',
  'z-index': '2147483647',
  'pointer-events': 'none',
  'background-repeat': 'repeat',
  display: 'block',
  visibility: 'visible',
  opacity: '1',
} as const

/** Lays the text over the page and keeps it there. Answers how to take it away. */
export function layOver(text: string, color: string): () => void {
  let layer: HTMLElement | undefined
  let picture = ''
  let expected = ''
  let redraw: ReturnType<typeof setTimeout> | undefined

  const observer = new MutationObserver(() => {
    // What we change ourselves is no news.
    if (!isIntact()) lay()
  })

  function isIntact(): boolean {
    return (
      layer?.parentNode === document.body &&
      layer.childNodes.length === 0 &&
      layer.getAttributeNames().sort().join() === 'aria-hidden,style' &&
      layer.style.cssText === expected
    )
  }

  function lay(): void {
    observer.disconnect()
    layer?.remove()
    layer = document.createElement('div')
    layer.setAttribute('aria-hidden', 'true')
    for (const [name, value] of Object.entries(LAYER)) {
      layer.style.setProperty(name, value, 'important')
    }
    layer.style.setProperty('background-image', picture, 'important')
    expected = layer.style.cssText
    document.body.append(layer)
    observer.observe(document.body, { childList: true })
    observer.observe(layer, { attributes: true, childList: true })
  }

  function draw(): void {
    picture = tile(text, fontSize(window.innerWidth), color)
    lay()
  }

  function later(): void {
    clearTimeout(redraw)
    redraw = setTimeout(draw, REDRAW_MS)
  }

  draw()
  window.addEventListener('resize', later)
  return () => {
    window.removeEventListener('resize', later)
    clearTimeout(redraw)
    observer.disconnect()
    layer?.remove()
  }
}
