import { expect, it, vi } from 'vitest'
import { chartColors, strokeOf } from './colors'
import { framed, legendLines, wrapped } from './picture'

const upTo = (most: number) => (line: string) => line.length <= most

it('a title that fits is one line', () => {
  expect(wrapped('Orders by day', upTo(20))).toEqual(['Orders by day'])
})

it('a long title goes on below, between words', () => {
  expect(wrapped('Orders by day and browser', upTo(13))).toEqual(['Orders by day', 'and browser'])
})

it('its first line leaves room for what stands beside it', () => {
  const fits = (line: string, index: number) => line.length <= (index === 0 ? 6 : 20)
  expect(wrapped('Orders by day and browser', fits)).toEqual(['Orders', 'by day and browser'])
})

it('a word longer than a line is broken', () => {
  expect(wrapped('abcdefgh', upTo(3))).toEqual(['abc', 'def', 'gh'])
})

/** Ten pixels per character; a sample of the line takes 32. */
const placed = (names: string[], width: number) =>
  legendLines(names, width, (text) => text.length * 10).map((lines) =>
    lines.map(({ text, left, row }) => `${row}:${left} ${text}`),
  )

it('a legend goes on below what has no room beside the others, and leaves nobody out', () => {
  const names = ['Chrome', 'Safari', 'Edge', 'Firefox']
  expect(placed(names, 240)).toEqual([
    ['0:0 Chrome'],
    ['0:114 Safari'],
    ['1:0 Edge'],
    ['1:94 Firefox'],
  ])
  expect(placed(names, 1000).flat()).toHaveLength(4)
  expect(
    placed(names, 1000)
      .flat()
      .every((line) => line.startsWith('0:')),
  ).toBe(true)
})

it('a name too long for a whole row of the legend is wrapped, with the next one below', () => {
  expect(placed(['A', 'one two three', 'B'], 112)).toEqual([
    ['0:0 A'],
    ['1:0 one two', '2:0 three'],
    ['3:0 B'],
  ])
})

it('a first name too long for a row starts in the first row', () => {
  expect(placed(['one two'], 80)).toEqual([['0:0 one', '1:0 two']])
})

/** What is written into a picture with these series in its legend, and how tall it is. */
async function writtenWith(names: string[]) {
  const texts: string[] = []
  const does: Record<string, unknown> = {
    fillText: (text: string) => texts.push(text),
    measureText: (text: string) => ({ width: text.length * 10 }),
  }
  const pen = new Proxy({}, { get: (_, name) => does[String(name)] ?? (() => {}), set: () => true })
  let height = 0
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(pen as never)
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (
    this: HTMLCanvasElement,
    done,
  ) {
    height = this.height
    done(new Blob())
  })
  const legend = names.map((name, index) => ({
    name,
    stroke: strokeOf(index, false, chartColors(false)),
  }))
  await framed({ title: 'Orders', legend, width: 400, height: 100, draw: () => {} })
  return { texts, height }
}

it('a picture names every line it draws, and grows by the rows of its legend', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `browser number ${index + 10}`)
  const { texts, height } = await writtenWith(names)
  expect(texts).toEqual(expect.arrayContaining(names))
  const short = await writtenWith(['a', 'b'])
  // One name per row, at double sharpness.
  expect(height - short.height).toBe(11 * 20 * 2)
})
