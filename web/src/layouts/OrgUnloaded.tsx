/** Shown instead of a team's page while there is no team: loading, gone, none, failed. */
import { useMatches } from 'react-router'
import { ApiError } from '../api/errors'
import { Centered } from '../components/Centered'
import { LinkButton } from '../components/LinkButton'
import { LoadFailure } from '../components/LoadFailure'
import { Page } from '../components/Page'
import { MessagePage } from '../components/MessagePage'
import { RowSkeleton } from '../components/table/RowSkeleton'
import { Waiting } from '../components/Waiting'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import type { RouteHandle } from '../router/entry'
import type { useOrgOnScreen } from '../session/org'

export function OrgUnloaded({ org, choices, hasNone }: ReturnType<typeof useOrgOnScreen>) {
  const t = useT()
  // Shows the page's own heading, to avoid layout shift.
  const title = (useMatches().at(-1)?.handle as RouteHandle | undefined)?.title
  const failed = org.error ? org : choices.error ? choices : null
  const gone = org.error instanceof ApiError && org.error.status === 404
  if (hasNone || gone) {
    return (
      <Centered>
        <MessagePage
          instead
          title={t(gone ? 'org.gone' : 'org.none')}
          actions={
            <LinkButton type="primary" to={paths.organizations()}>
              {t('common.toTeams')}
            </LinkButton>
          }
        >
          <p>{t(gone ? 'org.goneText' : 'org.noneText')}</p>
        </MessagePage>
      </Centered>
    )
  }
  return (
    <Page title={title ? t(title) : ''}>
      {failed?.error ? (
        <LoadFailure
          error={failed.error}
          retrying={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      ) : (
        <Waiting>
          <RowSkeleton rows={6} />
        </Waiting>
      )}
    </Page>
  )
}
