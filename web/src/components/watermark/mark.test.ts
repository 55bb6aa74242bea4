// happy-dom drops the mark's picture, as its address has parentheses.
// @vitest-environment jsdom

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fontSize, layOver, markPicture, markText, tile } from './mark'

let remove: () => void
const layers = () =>
  [...document.body.querySelectorAll<HTMLElement>(':scope > div[aria-hidden]')].filter((element) =>
    element.style.backgroundImage.includes('data:image/svg+xml'),
  )
const drawn = () => decodeURIComponent(layers()[0]?.style.backgroundImage ?? '')
/** MutationObserver callbacks run as microtasks. */
const observed = () => Promise.resolve()

beforeEach(() => {
  vi.useFakeTimers()
  remove = layOver('林小雨 lin@example.com', 'rgba(0, 0, 0, 0.06)')
})
afterEach(() => {
  remove()
  vi.useRealTimers()
})

it('is one element over the whole page that takes no clicks', () => {
  expect(layers()).toHaveLength(1)
  const [layer] = layers()
  expect(layer?.style.getPropertyValue('pointer-events')).toBe('none')
  expect(layer?.style.getPropertyPriority('pointer-events')).toBe('important')
  expect(layer?.style.position).toBe('fixed')
  expect(drawn()).toContain('林小雨 lin@example.com')
  expect(drawn()).toContain('rotate(-30 ')
})

it('comes back when it is removed', async () => {
  layers()[0]?.remove()
  await observed()
  expect(layers()).toHaveLength(1)
})

it('comes back when it is moved, emptied of its picture, hidden or named', async () => {
  const changes: ((layer: HTMLElement) => void)[] = [
    (layer) => layer.style.setProperty('display', 'none', 'important'),
    (layer) => (layer.style.backgroundImage = 'none'),
    (layer) => layer.style.setProperty('opacity', '0.01', 'important'),
    (layer) => layer.removeAttribute('style'),
    (layer) => (layer.className = 'hidden'),
    (layer) => (layer.hidden = true),
    (layer) => document.head.append(layer),
    (layer) => layer.append('over it'),
  ]
  for (const change of changes) {
    const [before] = layers()
    if (!before) throw new Error('there is none')
    change(before)
    await observed()
    expect(layers()).toHaveLength(1)
    expect(layers()[0]).not.toBe(before)
    expect(layers()[0]?.style.display).toBe('block')
    expect(drawn()).toContain('lin@example.com')
  }
})

it('leaves the page alone otherwise', async () => {
  const [before] = layers()
  document.body.append(document.createElement('section'))
  await observed()
  expect(layers()).toEqual([before])
  document.querySelector('section')?.remove()
})

it('is drawn anew 100 ms after the last resize', () => {
  const [before] = layers()
  vi.stubGlobal('innerWidth', 390)
  window.dispatchEvent(new Event('resize'))
  vi.advanceTimersByTime(60)
  window.dispatchEvent(new Event('resize'))
  vi.advanceTimersByTime(99)
  expect(layers()).toEqual([before])
  vi.advanceTimersByTime(1)
  expect(drawn()).toContain('font-size="12"')
})

it('goes away for good', async () => {
  remove()
  window.dispatchEvent(new Event('resize'))
  vi.advanceTimersByTime(1000)
  await observed()
  expect(layers()).toHaveLength(0)
  expect(vi.getTimerCount()).toBe(0)
})

it('is between 12 and 16 pixels', () => {
  expect([320, 390, 1280, 1440, 3840].map(fontSize)).toEqual([12, 12, 14, 16, 16])
})

it('draws names of any characters as text', () => {
  const picture = decodeURIComponent(tile('<b onload="x">&\'\u0007', 12, '#000'))
  const text = new DOMParser()
    .parseFromString(/<svg.*<\/svg>/.exec(picture)?.[0] ?? '', 'image/svg+xml')
    .querySelector('text')
  expect(text?.textContent).toBe('<b onload="x">&\' ')
  expect(text?.children).toHaveLength(0)
})

it('shortens a name between characters, and never the address', () => {
  const email = `${'long-address-'.repeat(6)}@example.com`
  expect(markText('长'.repeat(64), email)).toBe(`${'长'.repeat(23)}… ${email}`)
  expect(markText('林小雨', email)).toBe(`林小雨 ${email}`)
  const family = '👨‍👩‍👧‍👦'
  for (let before = 0; before < 64; before += 1) {
    const text = markText(`${'a'.repeat(before)}${family}${'b'.repeat(64 - before)}`, email)
    expect(text.includes('\u200d')).toBe(text.includes(family))
    expect(text.endsWith(` ${email}`)).toBe(true)
    expect(tile(text, 12, '#000')).toContain(encodeURIComponent(text))
  }
})

it('draws half of a character as a sign for that', () => {
  expect(decodeURIComponent(tile('a\ud83d', 12, '#000'))).toContain('>a\ufffd</text>')
})

it('comes back when a stylesheet hides it', () => {
  const [before] = layers()
  vi.spyOn(window, 'getComputedStyle').mockImplementation(
    () => ({ display: 'none' }) as CSSStyleDeclaration,
  )
  vi.advanceTimersByTime(1_000)
  vi.restoreAllMocks()
  expect(layers()).toHaveLength(1)
  expect(layers()[0]).not.toBe(before)
})

it('is drawn over pictures that are saved, while it lies over the page', () => {
  const words: string[] = []
  const pen = {
    save() {},
    restore() {},
    translate() {},
    rotate() {},
    fillText: (text: string) => words.push(text),
  } as unknown as CanvasRenderingContext2D
  markPicture(pen, 1200, 560)
  expect(words.length).toBeGreaterThan(4)
  expect(new Set(words)).toEqual(new Set(['林小雨 lin@example.com']))
  remove()
  words.length = 0
  markPicture(pen, 1200, 560)
  expect(words).toEqual([])
})
