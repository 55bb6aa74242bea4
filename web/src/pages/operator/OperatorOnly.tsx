import { Centered } from '../../components/Centered'
import { LinkButton } from '../../components/LinkButton'
import { Statement } from '../../components/Statement'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { useUser } from '../../session/useUser'

/** Pages of those who run the instance. Whoever else followed a link here is told so. */
export function OperatorOnly({ children }: { children: React.ReactNode }) {
  const t = useT()
  if (useUser()?.operator) return children
  return (
    <Centered>
      <Statement
        mark="403"
        title={t('forbidden.title')}
        actions={
          <LinkButton type="primary" to={paths.root()}>
            {t('common.toApps')}
          </LinkButton>
        }
      >
        <p>{t('errors.operatorOnly')}</p>
      </Statement>
    </Centered>
  )
}
