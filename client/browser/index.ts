/**
 * Device links and their QR codes, for the relying party's pages. Nothing here needs or takes a
 * secret: the server makes signed links (`signedDeviceLink`), and a page requests a fresh one each
 * second.
 *
 * @packageDocumentation
 */
export { approveLink, codeLink } from '../plainLink.ts';
export {
  type DeviceLinkView,
  type DeviceLinkViewOptions,
  linkSource,
  type LinkSource,
  showDeviceLink,
} from './deviceLinkView.ts';
export { type QrOptions, qrSvg } from './qr.ts';
