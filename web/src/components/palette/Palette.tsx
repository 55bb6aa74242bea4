/** Finds pages, apps, people, and actions by a few letters of their name, without a mouse. */
import { SearchOutlined } from '@ant-design/icons'
import { Modal } from 'antd'
import { useId, useRef, useState } from 'react'
import { useT } from '../../i18n/useT'
import { useUser } from '../../session/useUser'
import { hideOverlay, overlayPlace, useOverlay } from '../shortcuts/overlay'
import { useDebounced } from '../table/useDebounced'
import { ownEntries, type Entry } from './entries'
import { PaletteList } from './PaletteList'
import { readRecent, rememberRecent } from './recent'
import { siftEntries } from './sift'
import { useFound, useFoundEvents, useRecentApps } from './useFound'
import { useSurroundings } from './useSurroundings'
import styles from './Palette.module.css'

export default function Palette() {
  const t = useT()
  const open = useOverlay(({ shown }) => shown === 'palette')
  const input = useRef<HTMLInputElement>(null)
  return (
    <Modal
      open={open}
      title={<span className="visually-hidden">{t('palette.open')}</span>}
      footer={null}
      closable={false}
      width={600}
      className={styles.palette}
      // Typing starts immediately, so don't animate.
      transitionName=""
      maskTransitionName=""
      destroyOnHidden
      getContainer={overlayPlace}
      afterOpenChange={(shown) => shown && input.current?.focus()}
      onCancel={hideOverlay}
    >
      <Search input={input} />
    </Modal>
  )
}

function Search({ input }: { input: React.RefObject<HTMLInputElement | null> }) {
  const t = useT()
  const list = useId()
  const userId = useUser()?.id ?? ''
  const [recent] = useState(() => readRecent(userId))
  const [typed, setTyped] = useState('')
  const [chosenId, setChosenId] = useState<string | null>(null)
  const around = useSurroundings()
  const { orgs, org } = around
  const nearestFirst = org ? [org, ...orgs.filter((other) => other !== org)] : orgs

  const wanted = typed.trim()
  const search = useDebounced(wanted)
  const found = useFound(nearestFirst, search)
  const events = useFoundEvents(around.app, search)
  const recentApps = useRecentApps(recent, wanted === '')
  const sections = siftEntries(wanted, {
    own: ownEntries(around),
    found: wanted === '' ? recentApps : [...found.entries, ...events.entries],
    recent,
  })
  const entries = sections.flatMap((section) => section.entries)
  const searching = wanted !== search || found.searching || events.searching
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosenId),
  )

  function choose(entry: Entry) {
    hideOverlay()
    rememberRecent(userId, entry.id)
    entry.run()
  }

  function onKeyDown(event: React.KeyboardEvent) {
    // Enter also completes an IME composition.
    if (event.nativeEvent.isComposing || entries.length === 0) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setChosenId(entries[(at + step + entries.length) % entries.length]!.id)
    else if (event.key === 'Enter') choose(entries[at]!)
    else return
    event.preventDefault()
  }

  return (
    <>
      <label className={styles.field}>
        <SearchOutlined aria-hidden />
        <input
          ref={input}
          className={styles.input}
          role="combobox"
          aria-label={t('palette.open')}
          aria-expanded={entries.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? `${list}-${at}` : undefined}
          placeholder={t('palette.placeholder')}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value)
            setChosenId(null)
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <PaletteList
        id={list}
        sections={sections}
        at={at}
        onPoint={(entry) => setChosenId(entry.id)}
        onChoose={choose}
      />
      <p role="status" className={entries.length > 0 ? 'visually-hidden' : styles.nothing}>
        {searching
          ? t('palette.searching')
          : entries.length > 0
            ? t('palette.count', { count: entries.length })
            : t('palette.nothing')}
      </p>
    </>
  )
}
