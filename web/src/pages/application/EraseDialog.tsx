import { useForm, useWatch } from 'react-hook-form'
import { requestErasure, type ErasureKind } from '../../api/erasures'
import { FormDialog } from '../../components/FormDialog'
import { ChoiceField } from '../../components/form/ChoiceField'
import { Field } from '../../components/form/Field'
import { TextInput } from '../../components/form/TextInput'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { useApp, useWatched } from '../../session/app'
import styles from './erasures.module.css'

const KINDS: ErasureKind[] = ['user', 'device']
const SUBJECT_MAX = 256
/** An ID is not a word: nothing may autocorrect it. */
const VERBATIM = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }

export function EraseDialog({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const form = useForm({
    mode: 'onBlur',
    defaultValues: { kind: 'user' as ErasureKind, subject: '', again: '' },
  })
  const { control } = form
  const [kind, subject, again] = useWatch({ control, name: ['kind', 'subject', 'again'] })
  const submitting = useSubmit(form, {
    // Not trimmed: an ID can contain spaces.
    send: () => watched(requestErasure(app.id, { kind, subject })),
    done: onDone,
  })
  return (
    <FormDialog
      title={t('erasure.title')}
      width={480}
      submitting={submitting}
      submit={t('erasure.submit')}
      danger
      disabled={subject === '' || again !== subject}
      onCancel={onCancel}
    >
      <ChoiceField
        label={t('erasure.by')}
        value={kind}
        choices={KINDS.map((value) => ({ value, name: t(`erasure.kind.${value}`) }))}
        onChoose={(value) => form.setValue('kind', value)}
      />
      <div className={styles.warning}>
        <p>{t(`erasure.removes.${kind}`)}</p>
        <p>{t('erasure.warning')}</p>
      </div>
      <Field
        control={control}
        name="subject"
        label={t(`erasure.kind.${kind}`)}
        hint={t('erasure.exactly')}
        rules={{ required: t('erasure.subjectRequired') }}
      >
        {(input) => <TextInput {...input} {...VERBATIM} maxLength={SUBJECT_MAX} />}
      </Field>
      <Field
        control={control}
        name="again"
        label={t('erasure.again')}
        rules={{
          validate: (typed: unknown, values) => typed === values.subject || t('erasure.mismatch'),
        }}
      >
        {(input) => <TextInput {...input} {...VERBATIM} maxLength={SUBJECT_MAX} />}
      </Field>
    </FormDialog>
  )
}
