/** Where forbidden pages lead: what was refused, and who could grant access. */
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { grantersQuery, permissionNameQuery, type Granters } from '../../api/granters'
import { Centered } from '../../components/Centered'
import { LinkButton } from '../../components/LinkButton'
import { MessagePage } from '../../components/MessagePage'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { browser } from '../../lib/navigation'
import { parseQuery, queryText } from '../../lib/query'
import { paths } from '../../paths'
import { isOwnersOnly, readRefusal, type Refusal } from './refusal'
import styles from './ForbiddenPage.module.css'

export default function ForbiddenPage() {
  const t = useT()
  const { search } = useLocation()
  const refusal = readRefusal(queryText(parseQuery(search), 'from'), browser.origin())
  return (
    <Centered>
      <MessagePage
        mark="403"
        title={t('forbidden.title')}
        actions={
          <>
            <LinkButton type="primary" to={paths.root()}>
              {t('common.toApps')}
            </LinkButton>
            <LinkButton to={paths.organizations()}>{t('common.toTeams')}</LinkButton>
            {refusal && <LinkButton to={refusal.from}>{t('forbidden.again')}</LinkButton>}
          </>
        }
      >
        {refusal ? <Explanation refusal={refusal} /> : <p>{t('forbidden.text')}</p>}
      </MessagePage>
    </Centered>
  )
}

function Explanation({ refusal }: { refusal: Refusal }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { appId, orgId, page, needs, isOperators } = refusal
  const asked = useQuery(grantersQuery(appId, orgId))
  const permission = useQuery(permissionNameQuery(needs, language)).data
  if (isOperators) return <p>{t('errors.operatorOnly')}</p>
  const app = asked.data?.app?.name
  return (
    <>
      <dl className={styles.facts}>
        {page && <Fact name={t('forbidden.page')} value={t(page)} />}
        {app && <Fact name={t('forbidden.app')} value={app} />}
        {permission && <Fact name={t('forbidden.needs')} value={permission} />}
      </dl>
      <Who granters={asked.data} ownersOnly={isOwnersOnly(needs)} />
    </>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  )
}

const MOST_NAMED = 5

function Who({ granters, ownersOnly }: { granters?: Granters; ownersOnly: boolean }) {
  const t = useT()
  if (!granters) return null
  const people = granters.people.filter(({ role }) => !ownersOnly || role === 'owner')
  // Someone in an app but not in its team can't see the team's members.
  if (people.length === 0) return <p>{t('forbidden.text')}</p>
  return (
    <>
      <p>{t(granters.app ? 'forbidden.whoInApp' : 'forbidden.who')}</p>
      <ul className={styles.people}>
        {people.slice(0, MOST_NAMED).map(({ user_id, name, email }) => (
          <li key={user_id}>
            <bdi>{name}</bdi> <a href={`mailto:${email}`}>{email}</a>
          </li>
        ))}
      </ul>
    </>
  )
}
