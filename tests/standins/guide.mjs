/** What `make standins` prints: where to click, in both languages. */
import { FAULTS } from './faults.mjs'

export function guide({ url, owner, places, domain }) {
  const { oidc, wechatwork, feishu, dns_control: dns } = places
  const tags = Object.keys(FAULTS)
    .map((tag) => `+${tag}`)
    .join(' ')
  const post = (address, body) => `curl -d '${JSON.stringify(body)}' ${address}`
  const rotate = post(`${oidc}/_control/rotate`, {})
  const down = post(`${oidc}/_control/down`, { down: true })
  const record = { name: '_atrium-challenge.example.com', values: ['atrium-verification=…'] }
  const txt = post(`${dns}/_control/txt`, record)
  const seen = `${wechatwork}/_control/seen  ${feishu}/_control/seen`

  return `
Atrium is at ${url}
Owner of the team Acme: ${owner.email}, password ${owner.password}

Single sign-on. On ${url}/login, choose to sign in with a work email and enter anna@${domain} or any
  other address at ${domain}. The first sign-in adds the person to the team. ${owner.email} already has
  an account, so it must first sign in with its password to be linked.
  To simulate a broken provider: anna+badsig@${domain}. Tags: ${tags}
  Rotate the provider's keys:  ${rotate}
  Take the provider down:      ${down}
WeChat Work and Feishu. Link one on ${url}/account/user-info, sign out, and sign in with it.
  Received messages:  ${seen}
Your own domain. Add it in the team's settings, publish its record, then verify it:
  ${txt}
Ctrl-C stops everything and removes the data. See docs/standins.md

──
Atrium 地址：${url}
团队 Acme 的所有者：${owner.email}，密码 ${owner.password}

单点登录：打开 ${url}/login，选择用工作邮箱登录，输入 anna@${domain} 或该域名下的任意邮箱，
  首次登录会自动加入团队。${owner.email} 已有账号，需先用密码登录，再完成关联。
  模拟身份提供方出错：anna+badsig@${domain}。可用标签：${tags}
  轮换签名密钥：  ${rotate}
  模拟服务中断：  ${down}
企业微信与飞书：在 ${url}/account/user-info 绑定，退出后即可用它登录。
  查看收到的消息：${seen}
验证自己的域名：在团队设置中添加域名，发布下面的解析记录，再点击验证：
  ${txt}
按 Ctrl-C 结束，数据随之删除。详见 docs/standins.md
`
}
