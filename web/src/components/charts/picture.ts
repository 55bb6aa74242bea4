/** Renders a chart as a picture for documents: always light, fixed size, with title and legend. */
import type { EChartsCoreOption } from 'echarts/core'
import { markPicture } from '../watermark/mark'
import { chartColors, type Stroke } from './colors'
import { loadEngine } from './loadEngine'
import { fontFamily, lineOption } from './option'
import { drawn, type ChartData, type DrawnSeries } from './series'

const WIDTH = 1200
const HEIGHT = 440
const MARGIN = 32
const LINE = 26
const LEGEND_LINE = 20
/** A legend entry's sample of its line, before the name. */
const SAMPLE = 32
const ENTRY_GAP = 22
const SHARP = 2
/** Browsers limit a canvas to about this size per side. */
const MOST_PIXELS = 8192

interface LinePicture extends ChartData {
  title: string
  /** Shown below the title: what the chart covers. */
  note?: string
  language: string
  soFar: string
}

export function chartPicture(picture: LinePicture): Promise<Blob> {
  const colors = chartColors(false)
  const series = drawn(picture.series, colors)
  return pictureOf({
    ...picture,
    legend: series,
    option: (width) =>
      lineOption({ ...picture, series, colors, style: picture, animated: false, width }),
  })
}

interface Framed {
  title: string
  note?: string
  legend: Pick<DrawnSeries, 'name' | 'stroke'>[]
}

interface Picture extends Framed {
  height?: number
  option: (width: () => number) => EChartsCoreOption
}

/** Takes anything ECharts can draw. */
export async function pictureOf(picture: Picture): Promise<Blob> {
  const { height = HEIGHT } = picture
  const { init } = await loadEngine()
  const width = WIDTH - 2 * MARGIN
  const chart = init(document.createElement('div'), null, {
    width,
    height,
    devicePixelRatio: SHARP,
  })
  try {
    chart.setOption(picture.option(() => chart.getWidth()))
    const drawn = chart.renderToCanvas({ pixelRatio: SHARP })
    const draw = (pen: CanvasRenderingContext2D) => pen.drawImage(drawn, 0, 0, width, height)
    return await framed({ ...picture, width, height, draw })
  } finally {
    chart.dispose()
  }
}

interface Drawing extends Framed {
  width: number
  height: number
  /** Draws into an area of this size, starting at the context's origin. */
  draw: (pen: CanvasRenderingContext2D) => void
}

/** Adds title and legend above the drawing. */
export function framed({ title, note, legend, width, height, draw }: Drawing): Promise<Blob> {
  const { palette } = chartColors(false)
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d')
  if (!pen) return Promise.reject(new Error('This browser draws no pictures.'))
  const fonts = { title: `600 18px ${fontFamily()}`, text: `13px ${fontFamily()}` }
  pen.font = fonts.text
  const noteRoom = note ? pen.measureText(note).width + 24 : 0
  pen.font = fonts.title
  // The first line shares its row with the note.
  const lines = wrapped(title, (text, line) => {
    return pen.measureText(text).width <= width - (line === 0 ? noteRoom : 0)
  })
  const legendAt = 38 + lines.length * LINE
  pen.font = fonts.text
  const named = legendLines(
    legend.map(({ name }) => name),
    width,
    (text) => pen.measureText(text).width,
  )
  const legendRows = named.flat().reduce((most, { row }) => Math.max(most, row + 1), 1)
  const top = legendAt + legendRows * LEGEND_LINE
  const all = { width: width + 2 * MARGIN, height: top + height + MARGIN }
  const sharp = Math.max(all.width, all.height) * SHARP > MOST_PIXELS ? 1 : SHARP
  // Setting the size also resets the context.
  canvas.width = all.width * sharp
  canvas.height = all.height * sharp
  pen.scale(sharp, sharp)
  pen.fillStyle = palette.surface
  pen.fillRect(0, 0, all.width, all.height)
  pen.fillStyle = palette.text
  pen.font = fonts.title
  lines.forEach((line, index) => pen.fillText(line, MARGIN, 38 + index * LINE))
  pen.font = fonts.text
  if (note) {
    pen.fillStyle = palette['text-soft']
    pen.fillText(note, all.width - MARGIN - pen.measureText(note).width, 38)
  }
  legend.forEach(({ stroke }, index) => {
    named[index]!.forEach(({ text, left, row }, line) => {
      const [x, y] = [MARGIN + left, legendAt + row * LEGEND_LINE]
      if (line === 0) drawSample(pen, stroke, x, y - 4.5)
      pen.fillStyle = palette.text
      pen.fillText(text, x + SAMPLE, y)
    })
  })
  pen.save()
  pen.translate(MARGIN, top)
  draw(pen)
  pen.restore()
  markPicture(pen, all.width, all.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture was made.'))))
  })
}

/** Wraps text between words, or between characters if a word is too long. */
export function wrapped(text: string, fits: (line: string, index: number) => boolean): string[] {
  const lines: string[] = []
  let line = ''
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)) {
    if (fits(line + segment, lines.length)) {
      line += segment
      continue
    }
    if (line.trim() !== '') lines.push(line.trim())
    line = ''
    for (const character of segment.trimStart()) {
      if (line !== '' && !fits(line + character, lines.length)) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line.trim()]
}

interface LegendLine {
  text: string
  /** Where the entry starts, and in which row. */
  left: number
  row: number
}

/**
 * Each name's lines in the legend. What doesn't fit beside the others starts a new row, and a name
 * too long for a whole row is wrapped: a line without a name can't be told from the rest.
 */
export function legendLines(
  names: string[],
  width: number,
  measure: (text: string) => number,
): LegendLine[][] {
  let left = 0
  let row = 0
  return names.map((name) => {
    const room = SAMPLE + measure(name)
    if (left > 0 && left + room > width) {
      left = 0
      row += 1
    }
    const texts = room <= width ? [name] : wrapped(name, (text) => SAMPLE + measure(text) <= width)
    const lines = texts.map((text, line) => ({ text, left, row: row + line }))
    row += texts.length - 1
    // Nothing starts beside a wrapped name.
    left = texts.length > 1 ? width : left + room + ENTRY_GAP
    return lines
  })
}

const DASHES = { solid: [], dashed: [6, 4], dotted: [2, 3] }

function drawSample(
  pen: CanvasRenderingContext2D,
  { color, line }: Stroke,
  at: number,
  y: number,
): void {
  pen.strokeStyle = color
  pen.lineWidth = 2.5
  pen.setLineDash(DASHES[line])
  pen.beginPath()
  pen.moveTo(at, y)
  pen.lineTo(at + 24, y)
  pen.stroke()
}
