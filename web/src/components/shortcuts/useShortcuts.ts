/** Shortcuts, active unless the user is typing or has turned them off. */
import { useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'
import { readStored, store } from '../../lib/storage'
import { modIs, type Press } from './registry'

const STORAGE_KEY = 'atrium.shortcuts'
const SECOND_KEY_WITHIN_MS = 1500

/** Speech input could trigger letters by accident, so they can be turned off. */
export const useShortcutsOn = create<{ on: boolean }>()(() => ({
  on: readStored(STORAGE_KEY) !== 'off',
}))

export function switchShortcuts(on: boolean): void {
  store(STORAGE_KEY, on ? 'on' : 'off')
  useShortcutsOn.setState({ on })
}

export type Shortcuts = Partial<Record<Press, () => void>>

export function useShortcuts(shortcuts: Shortcuts): void {
  const run = useEffectEvent((press: string) => {
    if (!Object.hasOwn(shortcuts, press)) return false
    shortcuts[press as Press]?.()
    return true
  })
  useEffect(() => {
    let first = { key: '', at: 0 }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || event.isComposing || isModal()) return
      const command = commandOf(event)
      if (command) {
        if (run(command)) event.preventDefault()
        return
      }
      if (!isFree(event)) return
      // The same key in a Chinese input method.
      const key = event.key === '？' ? '?' : event.key
      const recent = event.timeStamp - first.at < SECOND_KEY_WITHIN_MS ? first.key : ''
      first = { key, at: event.timeStamp }
      if ((recent && run(`${recent} ${key}`)) || run(key)) {
        event.preventDefault()
        first = { key: '', at: 0 }
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

/** Combinations that type nothing also work inside a field. */
function commandOf(event: KeyboardEvent): string | null {
  const { ctrlKey, metaKey, altKey, shiftKey, key } = event
  if (altKey || shiftKey) return null
  if (event[modIs] && ctrlKey !== metaKey) return `Mod+${key.toLowerCase()}`
  return !ctrlKey && !metaKey && /^F\d+$/.test(key) ? key : null
}

const TAKES_KEYS =
  'input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], [role=listbox], [role=menu], [role=dialog]'

/** Not typing, and not meant for something else. */
function isFree(event: KeyboardEvent): boolean {
  if (!useShortcutsOn.getState().on) return false
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  return !(event.target instanceof Element && event.target.closest(TAKES_KEYS))
}

/** A dialog blocks shortcuts. */
const isModal = () => document.querySelector('[aria-modal=true]') !== null
