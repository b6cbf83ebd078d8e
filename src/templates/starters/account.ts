/** Starters about accounts. */
import { button, code, documentOf, heading, paragraph, small } from './layout.ts';
import type { StarterContent } from './starter.ts';

const GREETING = paragraph('Hello {{ name | default: "there" }},');

export const ACCOUNT_STARTERS = {
  'password-reset': {
    title: 'Password reset',
    description: 'A link to set a new password.',
    words: ['password', 'reset', 'forgot', 'forgotten', 'recovery', 'recover'],
    subject: 'Reset your {{ company }} password',
    html: documentOf(
      'Reset your password',
      [
        heading('Reset your password'),
        GREETING,
        paragraph(
          'Someone requested a new password for your {{ company }} account. To choose one, use this link:',
        ),
        button('Choose a new password', '{{ reset_url }}'),
        small(
          'The link works once, for {{ expires_in }}. If you did not request it, ignore this email: your password has not changed.',
        ),
      ].join('\n'),
    ),
    text: `Hello {{ name | default: "there" }},

Someone requested a new password for your {{ company }} account.
To choose one, open this link:

{{ reset_url }}

The link works once, for {{ expires_in }}. If you did not request it, ignore this
email: your password has not changed.

{{ company }}
`,
    sample: {
      company: 'Acme',
      name: 'Ada',
      reset_url: 'https://acme.example/reset?token=k3J9xQ',
      expires_in: '1 hour',
    },
  },
  'sign-in-code': {
    title: 'Sign-in code',
    description: 'A one-time code to sign in.',
    words: [
      'sign',
      'in',
      'signin',
      'log',
      'login',
      'code',
      'otp',
      'one',
      'time',
      'factor',
      '2fa',
      'mfa',
      'magic',
    ],
    subject: '{{ code }} is your {{ company }} sign-in code',
    html: documentOf(
      'Your sign-in code',
      [
        heading('Your sign-in code'),
        paragraph('Enter this code to sign in to {{ company }}:'),
        code('{{ code }}'),
        small(
          'The code is valid for {{ expires_in }}. Never share it: we will not ask you for it. If you are not signing in, change your password.',
        ),
      ].join('\n'),
    ),
    text: `Enter this code to sign in to {{ company }}:

{{ code }}

The code is valid for {{ expires_in }}. Never share it: we will not ask you for it.
If you are not signing in, change your password.

{{ company }}
`,
    sample: { company: 'Acme', code: '482913', expires_in: '10 minutes' },
  },
  'verify-email': {
    title: 'Verify your email address',
    description: 'A link that confirms a new address.',
    words: [
      'verify',
      'verification',
      'confirm',
      'confirmation',
      'activate',
      'activation',
      'email',
      'address',
    ],
    subject: 'Verify your email address for {{ company }}',
    html: documentOf(
      'Verify your email address',
      [
        heading('Verify your email address'),
        GREETING,
        paragraph('Please confirm that {{ email }} is your address.'),
        button('Verify email address', '{{ verify_url }}'),
        small('The link works for {{ expires_in }}. If you did not create an account, ignore this email.'),
      ].join('\n'),
    ),
    text: `Hello {{ name | default: "there" }},

Please confirm that {{ email }} is your address:

{{ verify_url }}

The link works for {{ expires_in }}. If you did not create an account, ignore this
email.

{{ company }}
`,
    sample: {
      company: 'Acme',
      name: 'Ada',
      email: 'ada@example.com',
      verify_url: 'https://acme.example/verify?token=k3J9xQ',
      expires_in: '24 hours',
    },
  },
  welcome: {
    title: 'Welcome',
    description: 'The first steps in a new account.',
    words: ['welcome', 'onboarding', 'hello', 'sign', 'up', 'signup', 'started', 'registration'],
    subject: 'Welcome to {{ company }}',
    html: documentOf(
      'Welcome',
      [
        heading('Welcome to {{ company }}'),
        GREETING,
        paragraph('Your account is ready. These steps will get you started:'),
        `<ul style="margin:0 0 16px;padding-left:20px">
  {% for step in steps %}
  <li style="margin:0 0 4px">{{ step }}</li>
  {% endfor %}
</ul>`,
        button('Open {{ company }}', '{{ start_url }}'),
        small('Questions? Reply to this email.'),
      ].join('\n'),
    ),
    text: `Hello {{ name | default: "there" }},

Welcome to {{ company }}! Your account is ready. These steps will get you started:
{% for step in steps %}
- {{ step }}
{%- endfor %}

{{ start_url }}

Questions? Reply to this email.

{{ company }}
`,
    sample: {
      company: 'Acme',
      name: 'Ada',
      steps: ['Complete your profile', 'Invite your team', 'Create your first project'],
      start_url: 'https://acme.example/start',
    },
  },
  invitation: {
    title: 'Invitation',
    description: 'A link to join a team.',
    words: ['invitation', 'invite', 'invited', 'join', 'team', 'member', 'collaborate'],
    subject: '{{ inviter }} invited you to {{ team }}',
    html: documentOf(
      'Invitation',
      [
        heading('Join {{ team }} on {{ company }}'),
        paragraph('{{ inviter }} invited you to work together in {{ team }}.'),
        button('Accept invitation', '{{ invitation_url }}'),
        small(
          'The invitation expires on {{ expires_on }}. If you do not know {{ inviter }}, ignore this email.',
        ),
      ].join('\n'),
    ),
    text: `{{ inviter }} invited you to work together in {{ team }} on {{ company }}.

Accept the invitation:

{{ invitation_url }}

The invitation expires on {{ expires_on }}. If you do not know {{ inviter }}, ignore
this email.

{{ company }}
`,
    sample: {
      company: 'Acme',
      inviter: 'Grace Hopper',
      team: 'Compilers',
      invitation_url: 'https://acme.example/join?token=k3J9xQ',
      expires_on: '14 March 2027',
    },
  },
} satisfies Record<string, StarterContent>;
