import { Centered } from '../Centered'
import { LinkButton } from '../LinkButton'
import { Statement } from '../Statement'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { useOrg } from '../../session/org'

/** For whoever followed a link to a page that their role does not open. */
export function Forbidden() {
  const t = useT()
  const org = useOrg()
  return (
    <Centered>
      <Statement
        instead
        mark="403"
        title={t('forbidden.title')}
        actions={
          <LinkButton type="primary" to={paths.teamApps({ org: org.id })}>
            {t('title.teamApps')}
          </LinkButton>
        }
      >
        <p>{t('forbidden.text')}</p>
      </Statement>
    </Centered>
  )
}
