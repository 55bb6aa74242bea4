import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { DistributionAnswer, DistributionQuestion } from '../../../api/analysisTypes'
import { showInApp, user } from '../../../testing/app'
import { anEngine, drawnSeries } from '../../../testing/chart'
import * as charts from '../../charts/loadEngine'
import { binName } from './bins'
import { DistributionResult } from './index'

beforeEach(() => void vi.spyOn(charts, 'loadEngine').mockResolvedValue(anEngine()))

const question: DistributionQuestion = {
  kind: 'distribution',
  start: '2026-03-01',
  end: '2026-03-02',
  event: { events: ['order'] },
  of: 'times',
}
const answer: DistributionAnswer = {
  kind: 'distribution',
  computed_at: '2026-11-01T00:00:00.000Z',
  rows_read: 0,
  bins: [
    { from: 1, to: 2, people: 750, events: 750 },
    { from: 2, to: 5, people: 0, events: 0 },
    { from: 5, to: null, people: 250, events: 2000 },
  ],
}

function show(props: Partial<React.ComponentProps<typeof DistributionResult>> = {}) {
  const onPick = vi.fn()
  const all = { question, answer, onPick, ...props }
  showInApp(<DistributionResult {...all} />, { may: [], answers: {} })
  return onPick
}
const chart = () => screen.getByRole('img', { name: '用户分布' })

describe('a bin', () => {
  it('of whole numbers names its first and its last', () => {
    expect(binName({ from: 1, to: 2 }, 'times', 'en-US')).toBe('1')
    expect(binName({ from: 2, to: 5 }, 'days', 'en-US')).toBe('2–4')
    expect(binName({ from: 1000, to: null }, 'times', 'en-US')).toBe('≥ 1,000')
  })

  it('of any numbers says that its end is not in it', () => {
    expect(binName({ from: 0.5, to: 10 }, { property: 'x' }, 'en-US')).toBe('0.5 ≤ x < 10')
  })
})

it('shows people by how often, with their share, and draws them', async () => {
  show()
  const rows = screen.getAllByRole('row').slice(1)
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    '175075%750',
    '2–400%0',
    '≥ 525025%2,000',
  ])
  await waitFor(() => expect(drawnSeries()[0]?.data).toEqual([750, 0, 250]))
})

it('says no shares of people who can be in several bins', () => {
  show({ question: { ...question, of: { property: 'amount' } } })
  expect(screen.getAllByRole('row')[1]!.textContent).toBe('1 ≤ x < 2750750')
})

it('leads from a bin to its people, from the table and from the bars', async () => {
  const onPick = show()
  const [, , empty, last] = screen.getAllByRole('row')
  expect(within(empty!).queryByRole('button')).toBeNull()
  await user.click(within(last!).getByRole('button'))
  expect(onPick).toHaveBeenLastCalledWith({ of: 'distribution', bin: 2 })
  fireEvent.keyDown(chart(), { key: 'Home' })
  fireEvent.keyDown(chart(), { key: 'Enter' })
  expect(onPick).toHaveBeenLastCalledWith({ of: 'distribution', bin: 0 })
  // A zero opens nothing.
  fireEvent.keyDown(chart(), { key: 'ArrowRight' })
  expect(screen.getByRole('status').textContent).toContain('2–4')
  fireEvent.keyDown(chart(), { key: 'Enter' })
  expect(onPick).toHaveBeenCalledTimes(2)
})

it('leads nowhere without permission', () => {
  show({ onPick: null })
  expect(screen.queryByRole('button')).toBeNull()
})

it('looks right with a single value, and without any', () => {
  show({ answer: { ...answer, bins: [{ from: 1, to: 2, people: 3, events: 3 }] } })
  expect(screen.getAllByRole('row')[1]!.textContent).toBe('13100%3')
  show({ answer: { ...answer, bins: [] } })
  expect(screen.getByText(/没有符合条件的数据/)).toBeShown()
})
