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
  const top = legendAt + 20
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
  drawLegend(pen, legend, palette.text, legendAt, all.width)
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

function drawLegend(
  pen: CanvasRenderingContext2D,
  legend: Framed['legend'],
  ink: string,
  top: number,
  width: number,
): void {
  let at = MARGIN
  for (const { name, stroke } of legend) {
    const room = 34 + pen.measureText(name).width + 20
    if (at + room > width - MARGIN) return
    drawSample(pen, stroke, at, top - 4.5)
    pen.fillStyle = ink
    pen.fillText(name, at + 32, top)
    at += room
  }
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
