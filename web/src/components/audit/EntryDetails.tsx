import { Facts } from '../Facts'
import type { AuditEntry } from '../../api/audit'
import { useLanguageStore, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { exactTime } from '../../lib/time'
import { useUser } from '../../session/useUser'
import { changesOf, inWords, notesOf } from './changes'
import styles from './audit.module.css'

/** Everything recorded about one entry. */
export function EntryDetails({ entry }: { entry: AuditEntry }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const changes = changesOf(entry.details)
  const facts: [string, string][] = [
    [t('audit.at'), exactTime(Date.parse(entry.at), language, zone)],
    [t('audit.code'), entry.action],
    [t('audit.targetId'), inWords(entry.target.id)],
    ...appFacts(entry, t),
    [t('audit.device'), inWords(entry.user_agent)],
    [t('audit.entryId'), entry.id],
    // By the server's names: these are data, not console texts.
    ...notesOf(entry.details).map(([name, value]): [string, string] => [name, inWords(value)]),
  ]
  return (
    <div className={styles.details}>
      {changes.length > 0 && (
        <table className={styles.changes}>
          <thead>
            <tr>
              <th scope="col">{t('audit.field')}</th>
              <th scope="col">{t('audit.before')}</th>
              <th scope="col">{t('audit.after')}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{inWords(before)}</td>
                <td>{inWords(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Facts facts={facts} className={styles.facts} />
    </div>
  )
}

/** The name for people; the ID for finding the entries of a purged app. */
function appFacts({ app_id, app_name }: AuditEntry, t: Translate): [string, string][] {
  if (!app_id) return []
  return [
    [t('audit.app'), inWords(app_name)],
    [t('audit.appId'), app_id],
  ]
}
