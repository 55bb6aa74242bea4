import type { User } from '../../api/account'
import { Moment } from '../../components/Moment'
import { useT } from '../../i18n/useT'
import { useEnvironment } from '../../session/useEnvironment'
import { shownProviders } from './bindings'
import { Section } from './Section'
import styles from './BindingsSection.module.css'

export function BindingsSection({ user }: { user: User }) {
  const t = useT()
  const providers = shownProviders(useEnvironment(), user)
  return (
    <Section name="bindings">
      <dl className={styles.list}>
        {providers.map((provider) => {
          const binding = user.bindings[provider]
          return (
            <div key={provider} className={styles.row}>
              <dt>{t(`notify.channel.${provider}`)}</dt>
              <dd>
                {binding ? (
                  <>
                    {binding.name} · {t('bindings.since')} <Moment at={binding.bound_at} />
                  </>
                ) : (
                  t('bindings.none')
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </Section>
  )
}
