/** The outside doors: single sign-on and the chat services. */
export const DOORS = ['sso', 'wechatwork', 'feishu'] as const
export type Door = (typeof DOORS)[number]

export function readDoor(text: string | null): Door | null {
  return DOORS.find((door) => door === text) ?? null
}
