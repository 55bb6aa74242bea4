/** A chart as a picture for a document: always light, of one size, with title and legend. */
import type { EChartsCoreOption } from 'echarts/core'
import { markPicture } from '../watermark/mark'
import { chartColors, type Stroke } from './colors'
import { loadEngine } from './loadEngine'
import { fontFamily, lineOption } from './option'
import { drawn, type ChartData, type DrawnSeries } from './series'

const WIDTH = 1200
const HEIGHT = 440
const MARGIN = 32
const HEAD = 88
const SHARP = 2

interface LinePicture extends ChartData {
  title: string
  /** Under the title: what it covers. */
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

interface Picture {
  title: string
  note?: string
  legend: Pick<DrawnSeries, 'name' | 'stroke'>[]
  option: (width: () => number) => EChartsCoreOption
}

/** Of whatever the library draws. */
export async function pictureOf(picture: Picture): Promise<Blob> {
  const { init } = await loadEngine()
  const chart = init(document.createElement('div'), null, {
    width: WIDTH - 2 * MARGIN,
    height: HEIGHT,
    devicePixelRatio: SHARP,
  })
  try {
    chart.setOption(picture.option(() => chart.getWidth()))
    return await compose(picture, chart.renderToCanvas({ pixelRatio: SHARP }))
  } finally {
    chart.dispose()
  }
}

function compose({ title, note, legend }: Picture, chart: HTMLCanvasElement): Promise<Blob> {
  const { palette } = chartColors(false)
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SHARP
  canvas.height = (HEAD + HEIGHT + MARGIN) * SHARP
  const pen = canvas.getContext('2d')
  if (!pen) return Promise.reject(new Error('This browser draws no pictures.'))
  pen.scale(SHARP, SHARP)
  pen.fillStyle = palette.surface
  pen.fillRect(0, 0, WIDTH, HEAD + HEIGHT + MARGIN)
  pen.fillStyle = palette.text
  pen.font = `600 18px ${fontFamily()}`
  pen.fillText(title, MARGIN, 38)
  pen.font = `13px ${fontFamily()}`
  if (note) {
    const start = WIDTH - MARGIN - pen.measureText(note).width
    pen.fillStyle = palette['text-soft']
    pen.fillText(note, start, 38)
  }
  drawLegend(pen, legend, palette.text)
  pen.drawImage(chart, MARGIN, HEAD, WIDTH - 2 * MARGIN, HEIGHT)
  markPicture(pen, WIDTH, HEAD + HEIGHT + MARGIN)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture was made.'))))
  })
}

function drawLegend(pen: CanvasRenderingContext2D, legend: Picture['legend'], ink: string): void {
  let at = MARGIN
  for (const { name, stroke } of legend) {
    const room = 34 + pen.measureText(name).width + 20
    if (at + room > WIDTH - MARGIN) return
    drawSample(pen, stroke, at)
    pen.fillStyle = ink
    pen.fillText(name, at + 32, 68)
    at += room
  }
}

const DASHES = { solid: [], dashed: [6, 4], dotted: [2, 3] }

function drawSample(pen: CanvasRenderingContext2D, { color, line }: Stroke, at: number): void {
  pen.strokeStyle = color
  pen.lineWidth = 2.5
  pen.setLineDash(DASHES[line])
  pen.beginPath()
  pen.moveTo(at, 63.5)
  pen.lineTo(at + 24, 63.5)
  pen.stroke()
}
