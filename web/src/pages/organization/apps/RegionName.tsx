import { useRegionName } from '../../../components/teams/useRegionName'

export const RegionName = ({ region }: { region: string }) => useRegionName()(region)
