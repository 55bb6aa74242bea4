/** Asks for a name, a description, and who can see it. */
import TextArea from 'antd/es/input/TextArea'
import { useForm, useWatch } from 'react-hook-form'
import { ChoiceField } from '../../../components/form/ChoiceField'
import { Field } from '../../../components/form/Field'
import { filled } from '../../../components/form/rules'
import { TextInput } from '../../../components/form/TextInput'
import { useSubmit } from '../../../components/form/useSubmit'
import { FormDialog } from '../../../components/FormDialog'
import { useT } from '../../../i18n/useT'
import { useWatched } from '../../../session/app'

const MOST_NAME = 100
const MOST_DESCRIPTION = 500

interface Named {
  name: string
  description?: string | null
  shared: boolean
}

interface KeepDialogProps<Answer> {
  title: string
  before?: Named
  /** Whether it may be shared with everyone in the app. */
  mayShare: boolean
  save: (named: Named) => Promise<Answer>
  onDone: (answer: Answer) => void
  onCancel: () => void
}

export function KeepDialog<Answer>(props: KeepDialogProps<Answer>) {
  const { title, before, mayShare, save, onDone, onCancel } = props
  const t = useT()
  const watched = useWatched()
  const form = useForm({
    mode: 'onBlur',
    defaultValues: {
      name: before?.name ?? '',
      description: before?.description ?? '',
      shared: before?.shared ?? false,
    },
  })
  const { control, setValue } = form
  const shared = useWatch({ control, name: 'shared' })
  const submitting = useSubmit(form, {
    send: ({ name, description, shared: isShared }) =>
      watched(
        save({ name: name.trim(), description: description.trim() || null, shared: isShared }),
      ),
    done: onDone,
  })
  return (
    <FormDialog title={title} submitting={submitting} submit={t('common.save')} onCancel={onCancel}>
      <Field
        control={control}
        name="name"
        label={t('analyses.name')}
        rules={filled(t('analyses.nameRequired'))}
      >
        {(input) => <TextInput {...input} autoComplete="off" maxLength={MOST_NAME} />}
      </Field>
      <Field control={control} name="description" label={t('analyses.description')}>
        {(input) => <TextArea {...input} rows={2} maxLength={MOST_DESCRIPTION} />}
      </Field>
      <ChoiceField
        label={t('analyses.for')}
        value={shared ? 'app' : 'me'}
        choices={[
          { value: 'me' as const, name: t('analyses.for.me') },
          ...(mayShare || shared ? [{ value: 'app' as const, name: t('analyses.for.app') }] : []),
        ]}
        note={mayShare ? undefined : t('analyses.forMeOnly')}
        onChoose={(whom) => setValue('shared', whom === 'app', { shouldDirty: true })}
      />
    </FormDialog>
  )
}
