/** Texts of the pages in English; every other language has the same keys. */
export const en = {
  languageName: 'English',
  bank: 'Demo Bank',
  tagline: 'A bank to try: nothing here is real but the signatures.',
  skip: 'To the content',
  signOut: 'Sign out',
  signedInAs: 'Signed in as',
  language: 'Language',

  login: {
    title: 'Log in',
    lead: 'No password. Your phone asks you, and your PIN answers.',
    id: 'Registration number, civil id or document number',
    idHint: 'Two letters and eight digits, twelve digits, or the document number of one phone.',
    push: 'Send to my phone',
    or: 'or without typing anything',
    qrTitle: 'Scan a QR code',
    qrText: 'The phone is in your hand, the browser on this screen.',
    qr: 'Show the code',
    appTitle: 'This very device',
    appText: 'The app is on the device you are reading this on.',
    app: 'Open the app',
    citizens: 'Citizens who answer by themselves',
    citizensText: 'Their phones are simulated, and each always answers in the same way.',
    answers: {
      OK: 'confirms',
      USER_REFUSED: 'refuses',
      WRONG_VC: 'picks a wrong code',
      TIMEOUT: 'never answers',
      DOCUMENT_UNUSABLE: 'has a phone that cannot',
    } as Readonly<Record<string, string>>,
    phonePage: 'Have no phone at hand? Open one in the browser',
  },

  ask: {
    login: 'Log in to Demo Bank',
    order: 'Pay {amount} to {payee}',
    orderLong: 'Demo Bank: pay {amount} to {payee}. Reference: {reference}',
    contract: 'Sign the document {file}',
  },

  wait: {
    title: { login: 'Log in', order: 'Sign the payment', contract: 'Sign the document' },
    compare: 'The same code must stand on your phone',
    code: 'Verification code',
    left: 'Time to answer',
    waiting: 'Waiting for your phone …',
    confirmed: 'Confirmed. Return here through the app.',
    trouble: 'The service does not answer at the moment. We keep trying.',
    push: [
      'Open the app: the request is there.',
      'Choose the code shown here. If it is not there, refuse.',
      'Confirm with your PIN.',
    ],
    qr: [
      'Scan the code with the app. It changes each second.',
      'Compare the code.',
      'Confirm with your PIN.',
    ],
    app: [
      'Open the app with the button.',
      'Confirm with your PIN.',
      'The app brings you back here.',
    ],
    qrLabel: 'QR code for the app',
    openApp: 'Open the app',
    openPhone: 'Open it in the browser’s phone',
    openPhonePush: 'Open the browser’s phone',
    cancel: 'Cancel',
    noScript: 'This page needs JavaScript to show fresh codes and to see your answer.',
    scriptsMissing:
      'The scripts of this page did not load, so it does not see your answer. Check your connection and reload the page.',
  },

  failure: {
    retry: 'Try again',
    back: 'To the account',
    code: 'Technical name',
    kinds: {
      refused: [
        'You refused',
        'Nothing was done. If that was not your own request, you did right: somebody else may have asked in your name.',
      ],
      wrongCode: [
        'The code was another',
        'The code chosen on the phone was not the one shown here. If you did not start this yourself, tell the bank. Otherwise begin again and compare carefully.',
      ],
      timeout: [
        'The time is up',
        'The phone did not answer in time. See that it is on and has a connection, open the app, and begin again.',
      ],
      tooLate: [
        'This request is over',
        'The service keeps a request for ten minutes, and these are past. Begin again from the account.',
      ],
      phoneUnusable: [
        'The phone cannot do this',
        'The app cannot answer: its PIN may be blocked, or the app too old. Open the app, follow what it says, then begin again.',
      ],
      unknownPerson: [
        'We do not find this person',
        'Check the number for a slip. Whoever has never enrolled a phone does that first, in the app.',
      ],
      noCertificate: [
        'No certificate that suffices',
        'The phone has no valid certificate of the level a bank needs. Renew it in the app, then begin again.',
      ],
      invalidInput: [
        'Something was written wrongly',
        'Check what you typed: a registration number has two letters and eight digits, a civil id twelve digits.',
      ],
      notRepresentative: [
        'Not for this organization',
        'You may not act for this organization now. Sign for yourself, or ask its director to register your right.',
      ],
      documentRefused: [
        'This document cannot be signed',
        'It must be a PDF, undamaged and without a password, of at most 5 MB. Save it anew and try again.',
      ],
      revoked: [
        'The certificate was revoked',
        'The answer came from a certificate that is no longer good. Enrol your phone anew, in the app.',
      ],
      notBelieved: [
        'We do not believe this answer',
        'The answer did not pass the checks, so the bank did nothing with it. Begin again; if it happens twice, tell the bank.',
      ],
      wrongBrowser: [
        'Another browser',
        'This answer belongs to another browser or another attempt. Return to the browser you began in, or begin again here.',
      ],
      busy: ['Many are asking right now', 'Wait a minute, then try again. Nothing was done.'],
      serviceAway: [
        'The identity service does not answer',
        'This is not your fault and nothing was done. Try again in a few minutes.',
      ],
      unexpected: [
        'That did not work',
        'Nothing was done. Try again; if it happens twice, tell the bank.',
      ],
    },
    notFound: [
      'There is no such page',
      'It may have been there before you signed out, or the address has a slip.',
    ],
    badForm: [
      'This form is out of date',
      'You signed in or out in the meantime. Go back to the first page and begin again.',
    ],
  },

  account: {
    title: 'Your account',
    hello: 'Good day, {name}',
    current: 'Current account',
    balance: 'Available',
    movements: 'Latest movements',
    signedByYou: 'signed by you',
    for: 'for {organization}',
    verify: 'Verification page',
    salary: 'Salary',
    groceries: 'Nomad Grocery',
    power: 'Electricity',
    rent: 'Rent',
  },

  order: {
    title: 'New payment',
    lead: 'You sign the very text of the order. What you read on the phone is what you sign.',
    payee: 'To',
    amount: 'Amount, ₮',
    reference: 'Reference',
    signWith: 'Ask by',
    push: 'push to my phone',
    qr: 'QR code',
    app: 'app on this device',
    behalf: 'Act for',
    self: 'myself',
    sign: 'Sign the payment',
    defaultPayee: 'Altai Cashmere LLC',
    defaultReference: 'Invoice 2026-114',
    text: 'PAYMENT ORDER\nFrom: {from}\nTo: {payee}\nAmount: {amount}\nReference: {reference}\nOrdered by: {name}, {etsi}',
    done: 'Payment signed',
    doneText: 'The bank has your signature over exactly this text.',
  },

  contract: {
    title: 'Documents',
    lead: 'Sign our sample contract, or a PDF of your own. Only its digest leaves the bank until you stamp it.',
    sample: 'The sample contract',
    read: 'Read it',
    own: 'A PDF of your own, at most 5 MB',
    sign: 'Sign the document',
    done: 'Document signed',
    doneText: 'The signature is over the digest of these very bytes.',
    steps: ['Sign', 'Stamp', 'Keep'],
    stamp: 'Stamp it',
    stampText:
      'Stamping puts your signature, a page to read it on and a timestamp into the PDF. Anybody can check it then, for years.',
    stamped: 'Document stamped',
    stampedText: 'The original is the unchanged beginning of the new file.',
    download: 'Download the stamped PDF',
    fileName: 'Sample contract.pdf',
  },

  identity: {
    title: 'How the bank knows you',
    name: 'Name',
    etsi: 'Identifier',
    level: 'Level',
    channel: 'Logged in by',
    channels: { push: 'push', qr: 'QR code', app: 'app on the same device' },
    document: 'Document number',
    certificate: 'Certificate',
    issuer: 'Issued by',
    validity: 'Valid',
    fingerprint: 'SHA-256',
    checked: 'What the library checked before the bank believed it',
    checks: [
      [
        'Complete and OK',
        'The session ended with OK, and the answer is of the generation that asked.',
      ],
      [
        'Chain',
        'The certificate leads to the platform’s root, every issuer a CA, every certificate valid now.',
      ],
      [
        'Purpose and level',
        'It is a certificate for logging in, and proves the level the bank requires.',
      ],
      [
        'Signature',
        'The phone’s key signed this login’s random challenge, the text shown and the bank’s name.',
      ],
      ['Revocation', 'The issuer was asked (OCSP), and said that the certificate is good.'],
    ],
    returned: [
      'Return',
      'The browser that came back is the one sent away: state, digest of the session’s secret, and the phone’s verifier fit.',
    ],
    representations: 'May act for',
    noRepresentations: 'nobody else',
  },

  receipt: {
    signer: 'Signed by',
    behalf: 'For',
    algorithm: 'Algorithm',
    digest: 'Digest, SHA-256',
    signature: 'Signature',
    time: 'Time',
    session: 'Session',
    verify: 'Open the verification page',
    back: 'To the account',
  },

  panel: {
    title: 'Under the bonnet',
    lead: 'The lines of this bank that run, and the calls they make. Secrets are left out by the library itself.',
    none: 'Nothing has been called yet.',
    request: 'Request',
    response: 'Answer',
    bytes: '{count} bytes of {type}',
    noAnswer: 'no answer',
    times: '{count} times',
    steps: {
      createClient: 'A client, once',
      loginByPush: 'Ask the phone by push',
      loginByQr: 'Start a login for a QR code',
      loginByApp: 'Start a login for the app here',
      freshQrLink: 'A fresh link each second',
      waitForAnswer: 'Wait for the citizen',
      finishLogin: 'Believe the answer, or do not',
      checkReturn: 'The same browser, the same phone',
      representations: 'Whom may they act for?',
      signByPush: 'Ask for a signature by push',
      signByLink: 'Ask for a signature by link',
      finishSignature: 'Believe the signature, or do not',
      stamp: 'Stamp the PDF',
    } as Readonly<Record<string, string>>,
  },
};

/** The same keys in another language. */
export type Texts = typeof en;
