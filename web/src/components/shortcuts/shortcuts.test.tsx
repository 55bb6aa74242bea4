import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { user } from '../../testing/app'
import KeyboardHelp from './KeyboardHelp'
import { showOverlay, useOverlay } from './overlay'
import { capsOf, SHORTCUT_GROUPS } from './registry'
import { switchShortcuts, useShortcuts, type Shortcuts } from './useShortcuts'

beforeEach(() => switchShortcuts(true))

function Bound({ keys }: { keys: Shortcuts }) {
  useShortcuts(keys)
  return (
    <>
      <input aria-label="field" />
      <input aria-label="box" type="checkbox" />
    </>
  )
}

const press = (key: string, more: object = {}, at: Element = document.body) =>
  fireEvent.keyDown(at, { key, ...more })

describe('a shortcut', () => {
  function bind() {
    const keys = { '?': vi.fn(), 'Mod+k': vi.fn(), F8: vi.fn(), 'd 7': vi.fn() }
    render(<Bound keys={keys} />)
    return keys
  }

  it('does nothing while somebody types, unless it types nothing', () => {
    const keys = bind()
    const field = screen.getByLabelText('field')
    press('?', {}, field)
    press('?', { isComposing: true })
    expect(keys['?']).not.toHaveBeenCalled()
    press('k', { ctrlKey: true }, field)
    press('F8', {}, field)
    expect(keys['Mod+k']).toHaveBeenCalledTimes(1)
    expect(keys.F8).toHaveBeenCalledTimes(1)
    press('?', {}, screen.getByLabelText('box'))
    press('？')
    expect(keys['?']).toHaveBeenCalledTimes(2)
  })

  it('is exactly its keys', () => {
    const keys = bind()
    press('k')
    press('k', { ctrlKey: true, shiftKey: true })
    press('k', { ctrlKey: true, altKey: true })
    press('k', { metaKey: true })
    press('?', { ctrlKey: true })
    expect(keys['Mod+k']).not.toHaveBeenCalled()
    expect(keys['?']).not.toHaveBeenCalled()
  })

  it('means nothing behind a dialog', () => {
    const keys = bind()
    render(<div role="dialog" aria-modal="true" />)
    press('k', { ctrlKey: true })
    press('?')
    expect([keys['Mod+k'], keys['?']].flatMap((key) => key.mock.calls)).toEqual([])
  })

  it('of single keys can be switched off', () => {
    const keys = bind()
    act(() => switchShortcuts(false))
    press('?')
    press('k', { ctrlKey: true })
    expect(keys['?']).not.toHaveBeenCalled()
    expect(keys['Mod+k']).toHaveBeenCalledTimes(1)
  })
})

describe('the help', () => {
  it('lists every shortcut there is, and switches the single keys off', async () => {
    render(<KeyboardHelp />)
    act(() => showOverlay('help'))
    const dialog = within(await screen.findByRole('dialog', { name: '键盘快捷键' }))
    const count = SHORTCUT_GROUPS.reduce((sum, { keys }) => sum + keys.length, 0)
    expect(dialog.getAllByRole('definition')).toHaveLength(count)
    const inRange = within(dialog.getByRole('region', { name: '时间范围' }))
    expect(inRange.getByText('近 90 天').parentElement?.textContent).toBe('近 90 天D9')
    await user.click(dialog.getByRole('switch', { name: '启用单键快捷键' }))
    expect(localStorage.getItem('atrium.shortcuts')).toBe('off')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(useOverlay.getState().shown).toBeNull())
  })

  it('names keys as they are labeled', () => {
    expect(capsOf('Mod+k')).toEqual(['Ctrl', 'K'])
    expect(capsOf('M')).toEqual(['Shift', 'M'])
    expect(capsOf('d 7')).toEqual(['D', '7'])
    expect(capsOf('?')).toEqual(['?'])
    expect(capsOf('ArrowLeft')).toEqual(['←'])
  })

  it('has no key twice', () => {
    const all = SHORTCUT_GROUPS.flatMap(({ keys }) => keys.map(({ press }) => press))
    expect(new Set(all).size).toBe(all.length)
  })
})
