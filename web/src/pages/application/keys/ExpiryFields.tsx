/** When a key expires, chosen as a period or a date and shown as an exact time. */
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { ChoiceField } from '../../../components/form/ChoiceField'
import { Field } from '../../../components/form/Field'
import { DayInput } from '../../../components/form/DayInput'
import { useNow } from '../../../components/useNow'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { plannedTime } from '../../../lib/time'
import { dayAt } from '../../../lib/zonedDay'
import { useUser } from '../../../session/useUser'
import { endOf, EXPIRIES, type ChosenExpiry } from './expiry'

/** Has more than these fields, for use in larger forms. */
export type ExpiryForm = UseFormReturn<ChosenExpiry & { name: string }>

export function ExpiryFields({ form }: { form: ExpiryForm }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const now = useNow()
  const { control } = form
  const [expiry, day] = useWatch({ control, name: ['expiry', 'day'] })
  const end = endOf({ expiry, day }, zone, now)
  const note =
    expiry === 'never'
      ? t('accessKey.neverNote')
      : end && t('accessKey.endNote', { at: plannedTime(end, language, zone) })
  return (
    <>
      <ChoiceField
        label={t('accessKey.expires')}
        value={expiry}
        choices={EXPIRIES.map((value) => ({ value, name: t(`accessKey.expiry.${value}`) }))}
        onChoose={(value) => form.setValue('expiry', value, { shouldDirty: true })}
        note={note}
      />
      {expiry === 'date' && (
        <Field
          control={control}
          name="day"
          label={t('accessKey.lastDay')}
          rules={{
            validate: (typed) =>
              (endOf({ expiry: 'date', day: typed }, zone, now) ?? 0) > now ||
              t('accessKey.dayRule'),
          }}
        >
          {({ name: _, ...input }) => <DayInput {...input} min={dayAt(now, zone)} />}
        </Field>
      )}
    </>
  )
}
