import { Centered } from '../../components/Centered'
import { LinkButton } from '../../components/LinkButton'
import { Statement } from '../../components/Statement'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'

export default function ForbiddenPage() {
  const t = useT()
  return (
    <Centered>
      <Statement
        mark="403"
        title={t('forbidden.title')}
        actions={
          <>
            <LinkButton type="primary" to={paths.root()}>
              {t('common.toApps')}
            </LinkButton>
            <LinkButton to={paths.organizations()}>{t('common.toTeams')}</LinkButton>
          </>
        }
      >
        <p>{t('forbidden.text')}</p>
      </Statement>
    </Centered>
  )
}
