/** A number of days that events are kept, and the question before it is made smaller. */
import type { Control, FieldPath, FieldValues } from 'react-hook-form'
import { useT } from '../../i18n/useT'
import { ConfirmDialog } from '../ConfirmDialog'
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
  /** Days until now. */
  before: number
  question: ReturnType<typeof useQuestion>
}

/** Events that are older by then are gone, and no setting brings them back. */
export function ShorterRetention({ before, question }: ShorterRetentionProps) {
  const t = useT()
  return (
    <ConfirmDialog
      open={question.about !== null}
      title={t('setting.shortenTitle')}
      confirm={t('setting.shorten')}
      danger
      onConfirm={() => question.answer(true)}
      onCancel={() => question.answer(false)}
    >
      {t('setting.shortenText', { before, after: question.about ?? before })}
    </ConfirmDialog>
  )
}
