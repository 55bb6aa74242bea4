/**
 * An address that arrived by single sign-on already has an account here. The account is signed in
 * by its own means, and now decides whether to link the two.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError, type FailureCode } from '../../api/errors'
import { allOrgs } from '../../api/orgs'
import { acceptSsoLink, ssoLinkQuery, type SsoLink } from '../../api/sso'
import { FormError } from '../../components/form/FormError'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { LinkButton } from '../../components/LinkButton'
import { Loaded } from '../../components/Loaded'
import { MessagePage } from '../../components/MessagePage'
import { useT } from '../../i18n/useT'
import { goTo } from '../../lib/navigation'
import { parseUrl } from '../../lib/url'
import { paths } from '../../paths'
import { rememberOrg } from '../../session/org'
import { reloadUser } from '../../session/session'
import { useUser } from '../../session/useUser'
import styles from './SsoLinkPage.module.css'

export default function SsoLinkPage() {
  const t = useT()
  const link = useQuery(ssoLinkQuery)
  // By the time of approval, the link may be gone or belong to someone else.
  const [refusal, setRefusal] = useState<ApiError | null>(null)
  const refused = refusal ?? link.error
  if (isCode(refused, 'link_wrong_account')) return <WrongAccount />
  if (refused instanceof ApiError && [404, 410].includes(refused.status)) return <Gone />
  if (link.data) return <Question link={link.data} onRefusal={setRefusal} />
  return (
    <MessagePage title={t('title.ssoLink')}>
      <Loaded query={link} skeleton={4}>
        {() => null}
      </Loaded>
    </MessagePage>
  )
}

const isCode = (error: unknown, code: FailureCode) =>
  error instanceof ApiError && error.code === code

interface QuestionProps {
  link: SsoLink
  onRefusal: (error: ApiError) => void
}

function Question({ link, onRefusal }: QuestionProps) {
  const t = useT()
  const client = useQueryClient()
  const { sending, failure, onSubmit } = useSubmit(useForm(), {
    send: async () => {
      const { org_id } = await acceptSsoLink().catch((error: unknown) => {
        if (error instanceof ApiError && [404, 409, 410].includes(error.status)) onRefusal(error)
        throw error
      })
      // Joining a team may grant access; check before going there.
      await reloadUser().catch(() => {})
      return org_id
    },
    done: (org) => {
      rememberOrg(org)
      void client.invalidateQueries(allOrgs)
      goTo(paths.teamApps({ org }), { replace: true })
    },
  })
  return (
    <form noValidate onSubmit={onSubmit}>
      <MessagePage
        title={t('ssoLink.title', { team: link.org_name })}
        actions={
          <>
            <SubmitButton size="large" sending={sending} retryAt={failure?.retryAt}>
              {t('ssoLink.submit')}
            </SubmitButton>
            <LinkButton size="large" to={paths.root()}>
              {t('ssoLink.notNow')}
            </LinkButton>
          </>
        }
      >
        <FormError>{failure?.message}</FormError>
        <p>{t('ssoLink.lead')}</p>
        <dl className={styles.facts}>
          <div>
            <dt>{t('ssoLink.team')}</dt>
            <dd>{link.org_name}</dd>
          </div>
          <div>
            <dt>{t('ssoLink.issuer')}</dt>
            <dd>{parseUrl(link.issuer)?.host ?? link.issuer}</dd>
          </div>
          <div>
            <dt>{t('ssoLink.email')}</dt>
            <dd>{link.email}</dd>
          </div>
        </dl>
        <p>{t('ssoLink.text')}</p>
      </MessagePage>
    </form>
  )
}

function Gone() {
  const t = useT()
  return (
    <MessagePage
      title={t('ssoLink.gone')}
      actions={
        <LinkButton type="primary" to={paths.root()}>
          {t('ssoLink.onwards')}
        </LinkButton>
      }
    >
      <p>{t('ssoLink.goneText')}</p>
    </MessagePage>
  )
}

function WrongAccount() {
  const t = useT()
  const email = useUser()?.email ?? ''
  return (
    <MessagePage
      title={t('ssoLink.wrong')}
      actions={
        <>
          <LinkButton type="primary" to={paths.logout({ redirect: paths.ssoLink() })}>
            {t('ssoLink.switch')}
          </LinkButton>
          <LinkButton to={paths.root()}>{t('ssoLink.notNow')}</LinkButton>
        </>
      }
    >
      <p>{t('ssoLink.wrongText', { email })}</p>
    </MessagePage>
  )
}
