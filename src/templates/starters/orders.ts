/** Starters about orders and payments. */
import { amounts, button, documentOf, heading, paragraph, small } from './layout.ts';
import type { StarterContent } from './starter.ts';

const GREETING = paragraph('Hello {{ name | default: "there" }},');
const ITEMS_AS_TEXT = `{% for item in items %}
- {{ item.name }}: {{ item.amount }}
{%- endfor %}`;
const ITEMS = [
  { name: 'Notebook, dotted', amount: '€12.00' },
  { name: 'Fountain pen', amount: '€30.00' },
];

export const ORDER_STARTERS = {
  receipt: {
    title: 'Receipt',
    description: 'What was bought and paid.',
    words: ['receipt', 'order', 'confirmation', 'purchase', 'payment', 'paid', 'thank', 'thanks'],
    subject: 'Your {{ company }} receipt for order {{ order_id }}',
    html: documentOf(
      'Receipt',
      [
        heading('Thank you for your order'),
        GREETING,
        paragraph('We received your payment for order <strong>{{ order_id }}</strong> on {{ paid_on }}.'),
        amounts('Total paid'),
        button('View order', '{{ order_url }}'),
        small('Paid with {{ payment_method }}.'),
      ].join('\n'),
    ),
    text: `Hello {{ name | default: "there" }},

Thank you! We received your payment for order {{ order_id }} on {{ paid_on }}.
${ITEMS_AS_TEXT}

Total paid: {{ total }}, with {{ payment_method }}

View your order: {{ order_url }}

{{ company }}
`,
    sample: {
      company: 'Acme',
      name: 'Ada',
      order_id: '4711',
      paid_on: '1 March 2027',
      items: ITEMS,
      total: '€42.00',
      payment_method: 'Visa ending in 4242',
      order_url: 'https://acme.example/orders/4711',
    },
  },
  invoice: {
    title: 'Invoice',
    description: 'An amount that is due, with a link to pay.',
    words: ['invoice', 'bill', 'billing', 'due', 'statement'],
    subject: 'Invoice {{ invoice_id }} from {{ company }}: {{ total }}',
    html: documentOf(
      'Invoice',
      [
        heading('Invoice {{ invoice_id }}'),
        GREETING,
        paragraph('Please pay <strong>{{ total }}</strong> by {{ due_on }}.'),
        amounts('Amount due'),
        button('Pay invoice', '{{ invoice_url }}'),
        small('If you have already paid, ignore this email.'),
      ].join('\n'),
    ),
    text: `Hello {{ name | default: "there" }},

This is invoice {{ invoice_id }}. Please pay {{ total }} by {{ due_on }}.
${ITEMS_AS_TEXT}

Amount due: {{ total }}

Pay the invoice: {{ invoice_url }}

If you have already paid, ignore this email.

{{ company }}
`,
    sample: {
      company: 'Acme',
      name: 'Ada',
      invoice_id: '2027-0042',
      due_on: '31 March 2027',
      items: ITEMS,
      total: '€42.00',
      invoice_url: 'https://acme.example/invoices/2027-0042',
    },
  },
  'order-shipped': {
    title: 'Order shipped',
    description: 'A parcel in transit, with its tracking link.',
    words: ['order', 'shipped', 'shipping', 'shipment', 'dispatched', 'delivery', 'tracking', 'parcel'],
    subject: 'Your order {{ order_id }} has shipped',
    html: documentOf(
      'Order shipped',
      [
        heading('Your order has shipped'),
        GREETING,
        paragraph(
          'Order <strong>{{ order_id }}</strong> left our warehouse. {{ carrier }} expects to deliver it on {{ delivery_on }}.',
        ),
        button('Track parcel', '{{ tracking_url }}'),
        small('Tracking number: {{ tracking_number }}'),
      ].join('\n'),
    ),
    text: `Hello {{ name | default: "there" }},

Order {{ order_id }} left our warehouse. {{ carrier }} expects to deliver it on
{{ delivery_on }}.

Track the parcel: {{ tracking_url }}
Tracking number: {{ tracking_number }}

{{ company }}
`,
    sample: {
      company: 'Acme',
      name: 'Ada',
      order_id: '4711',
      carrier: 'Parcel Post',
      delivery_on: '3 March 2027',
      tracking_number: 'PP 123 456 789',
      tracking_url: 'https://track.example/PP123456789',
    },
  },
  'payment-failed': {
    title: 'Payment failed',
    description: 'A declined payment, with a link to fix it.',
    words: ['payment', 'failed', 'failure', 'declined', 'card', 'dunning', 'overdue', 'past', 'due'],
    subject: 'Your payment of {{ amount }} to {{ company }} failed',
    html: documentOf(
      'Payment failed',
      [
        heading('Your payment failed'),
        GREETING,
        paragraph('We could not charge <strong>{{ amount }}</strong> to your {{ payment_method }}.'),
        button('Update payment details', '{{ payment_url }}'),
        small('We will try again on {{ retry_on }}. Your access continues until then.'),
      ].join('\n'),
    ),
    text: `Hello {{ name | default: "there" }},

We could not charge {{ amount }} to your {{ payment_method }}.

Update your payment details: {{ payment_url }}

We will try again on {{ retry_on }}. Your access continues until then.

{{ company }}
`,
    sample: {
      company: 'Acme',
      name: 'Ada',
      amount: '€42.00',
      payment_method: 'Visa ending in 4242',
      retry_on: '4 March 2027',
      payment_url: 'https://acme.example/billing',
    },
  },
} satisfies Record<string, StarterContent>;
