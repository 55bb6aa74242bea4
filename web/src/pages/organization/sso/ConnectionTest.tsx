/** Tests everything a sign-in needs from the provider, step by step, without anyone signing in. */
import { CheckCircleFilled, CloseCircleFilled, MinusCircleOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import type { SsoTest, SsoTestStep } from '../../../api/sso'
import { FormError } from '../../../components/form/FormError'
import { useT } from '../../../i18n/useT'
import { stepName, stepProblem } from './testSteps'
import styles from './sso.module.css'

/** `ask` returns null if the form can't be tested yet. */
export function useConnectionTest(ask: () => Promise<SsoTest | null>) {
  const testing = useMutation({ mutationFn: ask })
  return {
    busy: testing.isPending,
    failure: testing.error,
    outcome: testing.data ?? null,
    run: () => {
      if (!testing.isPending) testing.mutate()
    },
  }
}

const ICONS = {
  ok: CheckCircleFilled,
  failed: CloseCircleFilled,
  skipped: MinusCircleOutlined,
} as const

export function ConnectionTest({ test }: { test: ReturnType<typeof useConnectionTest> }) {
  const t = useT()
  const { outcome } = test
  return (
    <div className={styles.outcome} aria-busy={test.busy}>
      <FormError>{test.failure?.message}</FormError>
      <p role="status" className={styles.verdict} data-ok={outcome?.ok}>
        {outcome && t(outcome.ok ? 'ssoTest.passed' : 'ssoTest.failed')}
      </p>
      {outcome && (
        <ol className={styles.steps} aria-label={t('ssoTest.steps')}>
          {outcome.steps.map((step) => (
            <Step key={step.step} step={step} />
          ))}
        </ol>
      )}
    </div>
  )
}

function Step({ step }: { step: SsoTestStep }) {
  const t = useT()
  const Icon = ICONS[step.state]
  const problem = step.state === 'failed' ? stepProblem(t, step) : null
  return (
    <li className={styles.step} data-state={step.state}>
      <Icon aria-hidden className={styles.mark} />
      <div>
        <p>
          <strong>{stepName(t, step)}</strong>{' '}
          <span className={styles.stepState}>{t(`ssoTest.state.${step.state}`)}</span>
        </p>
        {problem && (
          <>
            <p>
              {problem.what}
              {step.detail && <code className={styles.detail}>{step.detail}</code>}
            </p>
            <p className={styles.note}>{problem.fix}</p>
          </>
        )}
      </div>
    </li>
  )
}
