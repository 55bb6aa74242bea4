import type { App } from '../../../api/app'
import { searchOf } from '../../../components/analyses/address'
import { eventTrend } from '../../../components/figures/trends'
import { paths } from '../../../paths'

/** The trend analysis of an event. */
export const trendOfEvent = (app: App, event: string) =>
  paths.workspace.analysis(app, 'trend') + searchOf(eventTrend(event))
