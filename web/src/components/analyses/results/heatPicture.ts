/** A retention heat map for documents: always light, with all units. */
import type { RetentionCohort } from '../../../api/analysisTypes'
import type { Translate } from '../../../i18n/store'
import { BRAND } from '../../../theme/palette'
import { chartColors } from '../../charts/colors'
import { bucketLabel, plainCount, type BucketStyle } from '../../charts/format'
import { fontFamily } from '../../charts/option'
import { framed } from '../../charts/picture'
import { cellText, isAhead, MOST_COLOR, shareOf, unitName, type Unit } from './retention'

const FIRST = 220
const SIZE = 90
const CELL = 72
const ROW = 28
const GAP = 2
const ROOM = 8
/** As many as the page shows at first. */
const MOST_ROWS = 100
const LEAST_WIDTH = 1136

interface Heat {
  unit: Unit
  cohorts: RetentionCohort[]
  average: (number | null)[]
  counted: 'share' | 'people'
  style: BucketStyle
  t: Translate
}

interface Cell {
  text: string
  share: number | null
  ahead: boolean
}

interface HeatRow {
  label: string
  size: string
  cells: Cell[]
}

/** The average first, then each cohort. */
function heatRows({ cohorts, average, counted, style, t }: Heat): HeatRow[] {
  const { language } = style
  const size = cohorts.reduce((sum, cohort) => sum + cohort.size, 0)
  return [
    {
      label: t('results.retention.average'),
      size: plainCount(size, language),
      cells: average.map((share, number) => ({
        text: cellText('share', share, null, language),
        share,
        ahead: isAhead(cohorts, number),
      })),
    },
    ...cohorts.slice(0, MOST_ROWS).map((cohort) => ({
      label: bucketLabel(cohort.start, style),
      size: plainCount(cohort.size, language),
      cells: average.map((_, number) => {
        const people = cohort.returned[number] ?? null
        const share = shareOf(cohort, number)
        return { text: cellText(counted, share, people, language), share, ahead: people === null }
      }),
    })),
  ]
}

export function heatPicture(heat: Heat, title: string, note?: string): Promise<Blob> {
  const { palette } = chartColors(false)
  const { unit, average, t } = heat
  const rows = heatRows(heat)
  const heads = [
    t(`results.retention.began.${unit}`),
    t('results.retention.size'),
    ...average.map((_, number) => unitName(unit, number, t)),
  ]
  const left = (number: number) => FIRST + SIZE + number * CELL
  const draw = (pen: CanvasRenderingContext2D) => {
    const write = (text: string, column: number, row: number, bold = false) => {
      pen.font = `${bold ? '600 ' : ''}13px ${fontFamily()}`
      pen.textAlign = column === 0 ? 'left' : 'right'
      const x = column === 0 ? 0 : left(column - 1) - GAP - ROOM
      pen.fillText(text, x, row * ROW + ROW / 2 - GAP / 2)
    }
    pen.textBaseline = 'middle'
    pen.fillStyle = palette['text-soft']
    heads.forEach((head, column) => write(head, column, 0))
    rows.forEach(({ label, size, cells }, index) => {
      const row = index + 1
      const bold = index === 0
      pen.fillStyle = palette.text
      write(label, 0, row, bold)
      write(size, 1, row, bold)
      cells.forEach(({ text, share, ahead }, number) => {
        const box = [left(number), row * ROW, CELL - GAP, ROW - GAP] as const
        if (ahead) return hatch(pen, box, palette.line)
        pen.globalAlpha = ((share ?? 0) * MOST_COLOR) / 100
        pen.fillStyle = BRAND
        pen.fillRect(...box)
        pen.globalAlpha = 1
        pen.fillStyle = palette.text
        write(text, number + 2, row, bold)
      })
    })
    pen.textAlign = 'left'
    pen.fillStyle = palette['text-soft']
    pen.font = `13px ${fontFamily()}`
    pen.fillText(t('results.retention.aheadNote'), 0, (rows.length + 1) * ROW + ROW / 2)
  }
  return framed({
    title,
    note,
    legend: [],
    width: Math.max(LEAST_WIDTH, FIRST + SIZE + average.length * CELL),
    height: (rows.length + 2) * ROW,
    draw,
  })
}

/** Marks what is not over yet. */
function hatch(
  pen: CanvasRenderingContext2D,
  [x, y, width, height]: readonly [number, number, number, number],
  color: string,
): void {
  pen.save()
  pen.beginPath()
  pen.rect(x, y, width, height)
  pen.clip()
  pen.strokeStyle = color
  pen.lineWidth = 2
  pen.beginPath()
  for (let start = x - height; start < x + width; start += 8) {
    pen.moveTo(start, y + height)
    pen.lineTo(start + height, y)
  }
  pen.stroke()
  pen.restore()
}
