/** The app's users and devices, one tab each. */
import { PERSON_KINDS, type PersonKind } from '../../../api/people'
import { Page } from '../../../components/Page'
import { Tabs } from '../../../components/Tabs'
import { useT } from '../../../i18n/useT'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { PeopleList } from './PeopleList'

export default function PeoplePage() {
  const t = useT()
  const [query, setQuery] = useAddressQuery()
  const kind = PERSON_KINDS.find((one) => one === query.get('tab')) ?? 'user'

  /** Drops page, search, and sort, which belong to the previous tab. */
  const choose = (tab: PersonKind) =>
    setQuery(tab === 'user' ? {} : { tab }, { preventScrollReset: true })

  return (
    <Page wide title={t('title.people')} lead={t('people.lead')}>
      <Tabs
        label={t('title.people')}
        tabs={PERSON_KINDS.map((key) => ({ key, label: t(`people.tab.${key}`) }))}
        active={kind}
        onChoose={choose}
      >
        <PeopleList key={kind} kind={kind} />
      </Tabs>
    </Page>
  )
}
