/** Single keys that do something on a board, for as long as nobody types and nobody has switched them off. */
import { useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'
import { readStored, store } from '../../lib/storage'

const STORAGE_KEY = 'atrium.shortcuts'
const SECOND_KEY_WITHIN_MS = 1500

/** Whoever speaks to their computer would press them by chance, so they can be switched off. */
export const useShortcutsOn = create<{ on: boolean }>()(() => ({
  on: readStored(STORAGE_KEY) !== 'off',
}))

export function switchShortcuts(on: boolean): void {
  store(STORAGE_KEY, on ? 'on' : 'off')
  useShortcutsOn.setState({ on })
}

/** By keys as the keyboard sends them; "d 7" is one key after the other. */
export type Shortcuts = Record<string, () => void>

export function useShortcuts(shortcuts: Shortcuts): void {
  const on = useShortcutsOn((state) => state.on)
  const run = useEffectEvent((keys: string) => {
    if (!Object.hasOwn(shortcuts, keys)) return false
    shortcuts[keys]!()
    return true
  })
  useEffect(() => {
    if (!on) return
    let first = { key: '', at: 0 }
    const onKey = (event: KeyboardEvent) => {
      if (!isFree(event)) return
      const recent = event.timeStamp - first.at < SECOND_KEY_WITHIN_MS ? first.key : ''
      first = { key: event.key, at: event.timeStamp }
      if ((recent && run(`${recent} ${event.key}`)) || run(event.key)) {
        event.preventDefault()
        first = { key: '', at: 0 }
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [on])
}

const TAKES_KEYS =
  'input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], [role=listbox], [role=menu], [role=dialog]'

/** Not typed, not meant for something else, and no dialog is in the way. */
function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return false
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.target instanceof Element && event.target.closest(TAKES_KEYS)) return false
  return document.querySelector('[aria-modal=true]') === null
}
