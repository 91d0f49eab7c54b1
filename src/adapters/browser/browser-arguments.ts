/** Features of the browser that use the network on their own, or scan it. */
const switchedOff = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'DnsOverHttps',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
  'WebOTP',
  'WebUSB',
];

/**
 * The browser's command line. All its traffic goes through the proxy, and it resolves nothing: loopback goes to the proxy too
 * (`<-loopback>`), every name but the proxy's address is unknown, WebRTC may use no UDP outside of the proxy, there is no QUIC.
 * The debugging pipe ends the browser when the manager dies.
 */
export function browserArguments(profile: string, proxyPort: number, sandboxed: boolean): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...(sandboxed ? [] : ['--no-sandbox']),
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--dns-prefetch-disable',
    '--disable-quic',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    `--disable-features=${switchedOff.join(',')}`,
    '--disable-background-networking',
    '--disable-breakpad',
    '--disable-client-side-phishing-detection',
    '--disable-component-extensions-with-background-pages',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-dev-shm-usage',
    '--disable-domain-reliability',
    '--disable-extensions',
    '--disable-gpu',
    '--disable-sync',
    '--block-new-web-contents',
    '--deny-permission-prompts',
    '--force-color-profile=srgb',
    '--hide-scrollbars',
    '--js-flags=--max-old-space-size=256',
    '--metrics-recording-only',
    '--mute-audio',
    '--no-default-browser-check',
    '--no-first-run',
    '--no-pings',
    '--password-store=basic',
    '--renderer-process-limit=4',
    'about:blank',
  ];
}
