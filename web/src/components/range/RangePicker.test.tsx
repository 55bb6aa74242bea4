import { act, fireEvent, render, screen, within } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { dayAt } from '../../lib/zonedDay'
import { user } from '../../testing/app'
import { RangePicker } from './RangePicker'
import { addDays } from './range'
import { switchShortcuts } from '../shortcuts/useShortcuts'
import { useRangeParams } from './useRangeParams'

beforeEach(() => switchShortcuts(true))

function Board() {
  const params = useRangeParams('UTC')
  return (
    <>
      <RangePicker params={params} />
      <input aria-label="名字" />
      <output>{useLocation().search}</output>
    </>
  )
}

const show = (search = '') =>
  render(
    <MemoryRouter initialEntries={[`/x${search}`]}>
      <Board />
    </MemoryRouter>,
  )
const address = () => screen.getByText((_, element) => element?.tagName === 'OUTPUT').textContent
const opener = () => screen.getByRole('button', { name: /近 7 天/ })
const press = (key: string, more: object = {}) => fireEvent.keyDown(document.body, { key, ...more })

describe('choosing a range', () => {
  it('takes a preset and gives the focus back', async () => {
    show()
    await user.click(opener())
    await user.click(screen.getByRole('button', { name: '近 30 天' }))
    expect(address()).toBe('?range=30d')
    expect(screen.queryByRole('group', { name: '选择时间范围' })).toBeNull()
    expect(document.activeElement?.textContent).toContain('近 30 天')
  })

  it('takes two days, the first not after the last', async () => {
    show()
    await user.click(opener())
    const panel = within(screen.getByRole('group', { name: '选择时间范围' }))
    const fill = (label: string, value: string) =>
      fireEvent.change(panel.getByLabelText(label), { target: { value } })
    const apply = panel.getByRole<HTMLButtonElement>('button', { name: /^确\s?定$/ })
    fill('开始日期', '2026-02-10')
    fill('结束日期', '2026-02-01')
    expect(apply.disabled).toBe(true)
    expect(panel.getByText(/结束不早于开始/)).toBeShown()
    fill('结束日期', '2026-02-28')
    expect(panel.getByText('共 19 天')).toBeShown()
    await user.click(apply)
    expect(address()).toBe('?range=2026-02-10..2026-02-28')
  })

  it('leads to the time before, and never beyond today', async () => {
    show()
    const later = screen.getByRole<HTMLButtonElement>('button', { name: '后一段时间' })
    expect(later.disabled).toBe(true)
    await user.click(screen.getByRole('button', { name: '前一段时间' }))
    const today = dayAt(Date.now(), 'UTC')
    expect(address()).toBe(`?range=${addDays(today, -13)}..${addDays(today, -7)}`)
    expect(later.disabled).toBe(false)
  })

  it('closes on Escape', async () => {
    show()
    await user.click(opener())
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('group', { name: '选择时间范围' })).toBeNull()
    expect(document.activeElement).toBe(opener())
  })
})

describe('the keys', () => {
  it('choose presets, some by two in a row', () => {
    show()
    press('t')
    expect(address()).toBe('?range=today')
    press('d')
    press('3')
    expect(address()).toBe('?range=30d')
    press('M')
    expect(address()).toBe('?range=last_month')
    press('[')
    expect(address()).toMatch(/^\?range=\d{4}-\d\d-01\.\./)
  })

  it('mean nothing while something is typed or with a modifier', () => {
    show()
    fireEvent.keyDown(screen.getByLabelText('名字'), { key: 't' })
    press('t', { ctrlKey: true })
    press('t', { metaKey: true })
    press('3')
    expect(address()).toBe('')
  })

  it('can be switched off', () => {
    show()
    act(() => switchShortcuts(false))
    press('t')
    expect(address()).toBe('')
    expect(localStorage.getItem('atrium.shortcuts')).toBe('off')
  })
})
