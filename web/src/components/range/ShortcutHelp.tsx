import { QuestionCircleOutlined } from '@ant-design/icons'
import { Switch } from 'antd'
import type { MessageKey } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { Disclosure } from './Disclosure'
import { switchShortcuts, useShortcutsOn } from './shortcuts'
import { RANGE_KEYS } from './useRangeShortcuts'
import styles from './ShortcutHelp.module.css'

export interface KeyHelp {
  keys: readonly string[]
  says: MessageKey
}

/** Which keys do what, and the switch that turns them off. */
export function ShortcutHelp({ more = [] }: { more?: readonly KeyHelp[] }) {
  const t = useT()
  const on = useShortcutsOn((state) => state.on)
  const all: readonly KeyHelp[] = [...RANGE_KEYS, ...more]
  return (
    <Disclosure
      label={t('range.keys')}
      button={{
        type: 'text',
        icon: <QuestionCircleOutlined aria-hidden />,
        'aria-label': t('range.keys'),
        title: t('range.keys'),
      }}
    >
      <div className={styles.help}>
        <label className={styles.switch}>
          <span>{t('range.keysOn')}</span>
          <Switch size="small" checked={on} onChange={switchShortcuts} />
        </label>
        <dl className={styles.keys}>
          {all.map(({ keys, says }) => (
            <div key={says}>
              <dt>{t(says)}</dt>
              <dd>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Disclosure>
  )
}
