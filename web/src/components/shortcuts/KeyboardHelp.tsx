import { Modal, Switch } from 'antd'
import { useT } from '../../i18n/useT'
import { hideOverlay, overlayPlace, useOverlay } from './overlay'
import { capsOf, SHORTCUT_GROUPS } from './registry'
import { switchShortcuts, useShortcutsOn } from './useShortcuts'
import styles from './KeyboardHelp.module.css'

/** Lists the shortcuts, with a switch to turn off the single-letter ones. */
export default function KeyboardHelp() {
  const t = useT()
  const open = useOverlay(({ shown }) => shown === 'help')
  const on = useShortcutsOn((state) => state.on)
  return (
    <Modal
      open={open}
      title={t('keys.title')}
      closable={{ 'aria-label': t('common.close') }}
      footer={null}
      width={720}
      destroyOnHidden
      getContainer={overlayPlace}
      onCancel={hideOverlay}
    >
      <label className={styles.switch}>
        <span>{t('keys.on')}</span>
        <Switch size="small" checked={on} onChange={switchShortcuts} />
      </label>
      <p className={styles.note}>{t('keys.note')}</p>
      <div className={styles.groups}>
        {SHORTCUT_GROUPS.map(({ title, keys }) => (
          <section key={title} aria-label={t(title)}>
            <h2 className={styles.group}>{t(title)}</h2>
            <dl className={styles.keys}>
              {keys.map(({ press, says }) => (
                <div key={press}>
                  <dt>{t(says)}</dt>
                  <dd>
                    {capsOf(press).map((cap) => (
                      <kbd key={cap}>{cap}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
