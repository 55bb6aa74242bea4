/**
 * A text over the whole page, so that a photo of the screen shows whose it was. A single element
 * with a tiled background that lets clicks through; if someone removes or restyles it in the
 * developer tools, it is restored immediately.
 */
import { isolated } from '../../lib/bidi'
import { graphemes } from '../../lib/names'

const ANGLE = -30
const REDRAW_MS = 100
const SMALLEST = 12
const LARGEST = 16
/** How much of a name is drawn; the address after it tells people apart. */
const NAME_CHARACTERS = 24
/** Tiles are twice as large as their text needs, so the page stays readable. */
const SPREAD = Math.SQRT2
const FONT = 'system-ui, sans-serif'

/** Identifies the user. A long name is cut, the address never is. */
export function markText(name: string, email: string): string {
  const characters = graphemes(name.trim())
  const shown =
    characters.length > NAME_CHARACTERS
      ? `${characters.slice(0, NAME_CHARACTERS - 1).join('')}…`
      : characters.join('')
  return `${isolated(shown)} ${email}`.trim()
}

/** Grows with the window: 12 px on a phone, 16 px on a desktop. */
export function fontSize(width: number): number {
  return Math.round(Math.min(LARGEST, Math.max(SMALLEST, width / 90)))
}

/** The size of one tile. */
function tileSize(text: string, size: number): { width: number; height: number } {
  // Chinese characters are as wide as they are tall, others about half that.
  const length = [...text].reduce((sum, char) => sum + (char > 'ÿ' ? 1 : 0.56), 0) * size
  const turn = (Math.abs(ANGLE) * Math.PI) / 180
  return {
    width: Math.ceil((length * Math.cos(turn) + size * 6) * SPREAD),
    height: Math.ceil((length * Math.sin(turn) + size * 6) * SPREAD),
  }
}

/** One tile as an SVG image. The text is escaped, whatever characters a name has. */
export function tile(text: string, size: number, color: string): string {
  const shown = plain(text)
  const { width, height } = tileSize(shown, size)
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<text x="50%" y="50%" text-anchor="middle" dominant-baseline="middle" fill="${color}" ` +
    `font-family="${FONT}" font-size="${size}" ` +
    `transform="rotate(${ANGLE} ${width / 2} ${height / 2})">${escaped(shown)}</text></svg>`
  return `url("data:image/svg+xml,${encodeURIComponent(svg)}")`
}

/** Removes control characters and lone surrogates, which SVG can't contain. */
function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]/g, ' ').replace(/\p{Surrogate}/gu, '\ufffd')
}

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** The current mark, for exported pictures. */
let current: { text: string; color: string } | null = null

/** Draws the same mark over a picture about to be saved. */
export function markPicture(pen: CanvasRenderingContext2D, width: number, height: number): void {
  if (!current) return
  const size = fontSize(width)
  const text = plain(current.text)
  const step = tileSize(text, size)
  pen.save()
  pen.fillStyle = current.color
  pen.font = `${size}px ${FONT}`
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  for (let y = step.height / 2; y < height + step.height / 2; y += step.height) {
    for (let x = step.width / 2; x < width + step.width / 2; x += step.width) {
      pen.save()
      pen.translate(x, y)
      pen.rotate((ANGLE * Math.PI) / 180)
      pen.fillText(text, 0, 0)
      pen.restore()
    }
  }
  pen.restore()
}

const LAYER = {
  // First: resets every property not listed below that a stylesheet could use to move or hide it.
  all: 'initial',
  position: 'fixed',
  inset: '0px',
  'z-index': '2147483647',
  'pointer-events': 'none',
  'background-repeat': 'repeat',
  display: 'block',
  visibility: 'visible',
  opacity: '1',
} as const

/** How often to check it: no observer reports a rule added to a stylesheet. */
const LOOK_MS = 1_000

/** Adds the mark to the page and keeps it there. Returns a function that removes it. */
export function layOver(text: string, color: string): () => void {
  let layer: HTMLElement | undefined
  let picture = ''
  let expected = ''
  let redraw: ReturnType<typeof setTimeout> | undefined

  const observer = new MutationObserver(() => {
    // Ignore our own changes.
    if (!isIntact()) lay()
  })

  function isIntact(): boolean {
    return (
      layer?.parentNode === document.body &&
      layer.childNodes.length === 0 &&
      layer.getAttributeNames().sort().join() === 'aria-hidden,style' &&
      layer.style.cssText === expected &&
      isSeen(layer)
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
  const mine = { text, color }
  current = mine
  const look = setInterval(() => {
    if (!document.hidden && !isIntact()) lay()
  }, LOOK_MS)
  window.addEventListener('resize', later)
  return () => {
    if (current === mine) current = null
    clearInterval(look)
    window.removeEventListener('resize', later)
    clearTimeout(redraw)
    observer.disconnect()
    layer?.remove()
  }
}

/** Whether it is visible as rendered, whatever the style rules. */
function isSeen(layer: HTMLElement): boolean {
  const { display, visibility, opacity, position, transform, clipPath, filter, translate, scale } =
    getComputedStyle(layer)
  const isPlain = (value: string) => !value || value === 'none'
  return (
    display === 'block' &&
    visibility === 'visible' &&
    opacity === '1' &&
    position === 'fixed' &&
    [transform, clipPath, filter, translate, scale].every(isPlain)
  )
}
