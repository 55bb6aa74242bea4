/** How many days events are kept, and the confirmation before shortening it. */
import { useQuery } from '@tanstack/react-query'
import type { Control, FieldPath, FieldValues } from 'react-hook-form'
import { retentionImpactQuery, type RetentionOf } from '../../api/retention'
import { useT } from '../../i18n/useT'
import { DangerDialog } from '../DangerDialog'
import type { useQuestion } from '../useQuestion'
import { Field } from './Field'
import { retentionRule } from './retention'
import { TextInput } from './TextInput'

interface RetentionDaysProps<Values extends FieldValues> {
  control: Control<Values>
  name: FieldPath<Values>
  label: string
  hint?: string
}

export function RetentionDays<Values extends FieldValues>(props: RetentionDaysProps<Values>) {
  const t = useT()
  return (
    <Field {...props} rules={retentionRule(t)}>
      {(input) => (
        <TextInput {...input} inputMode="numeric" autoComplete="off" suffix={t('setting.days')} />
      )}
    </Field>
  )
}

interface ShorterRetentionProps {
  of: RetentionOf
  /** The current number of days. */
  before: number
  question: ReturnType<typeof useQuestion>
}

/** Says how many events would be deleted; no setting can bring them back. */
export function ShorterRetention({ question, ...props }: ShorterRetentionProps) {
  if (question.about === null) return null
  return <Question {...props} after={question.about} answer={question.answer} />
}

interface QuestionProps extends Omit<ShorterRetentionProps, 'question'> {
  after: number
  answer: (yes: boolean) => void
}

function Question({ of, before, after, answer }: QuestionProps) {
  const t = useT()
  const impact = useQuery(retentionImpactQuery(of, after))
  return (
    <DangerDialog
      title={t('setting.shortenTitle')}
      confirm={t('setting.shorten')}
      name={of.name}
      impact={impact}
      hits={({ events }) => [{ label: t('setting.shortenEvents'), count: events }]}
      send={() => Promise.resolve()}
      onDone={() => answer(true)}
      onCancel={() => answer(false)}
    >
      <p>{t('setting.shortenText', { before, after })}</p>
    </DangerDialog>
  )
}
