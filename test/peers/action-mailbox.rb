# A Rails application with the relay ingress of Action Mailbox: action-mailbox.rb PASSWORD FOLDER PORT. Appends a line of JSON to
# FOLDER/processed for each message that a mailbox processed.
gem 'actionmailbox'
require 'rails'
require 'active_record/railtie'
require 'active_storage/engine'
require 'action_mailbox/engine'
require 'rack/handler/webrick'
require 'json'

ENV['DATABASE_URL'] = 'sqlite3::memory:'
ENV['RAILS_INBOUND_EMAIL_PASSWORD'] = ARGV.fetch(0)

class App < Rails::Application
  config.load_defaults 6.1
  config.root = ARGV.fetch(1)
  config.eager_load = false
  config.consider_all_requests_local = true
  config.hosts.clear
  config.secret_key_base = 'x' * 64
  config.logger = Logger.new($stderr, level: :warn)
  config.active_job.queue_adapter = :inline
  config.active_storage.service = :local
  config.active_storage.service_configurations = { local: { service: 'Disk', root: ARGV.fetch(1) } }
  config.action_mailbox.ingress = :relay
  config.action_mailbox.incinerate = false
end
App.initialize!

ActiveRecord::Base.establish_connection(adapter: 'sqlite3', database: "#{ARGV.fetch(1)}/app.sqlite3")
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table :action_mailbox_inbound_emails do |t|
    t.integer :status, default: 0, null: false
    t.string :message_id, null: false
    t.string :message_checksum, null: false
    t.timestamps
    t.index %i[message_id message_checksum], unique: true, name: 'unique_messages'
  end
  create_table :active_storage_blobs do |t|
    t.string :key, null: false
    t.string :filename, null: false
    t.string :content_type
    t.text :metadata
    t.string :service_name, null: false
    t.bigint :byte_size, null: false
    t.string :checksum, null: false
    t.datetime :created_at, null: false
  end
  create_table :active_storage_attachments do |t|
    t.string :name, null: false
    t.references :record, null: false, polymorphic: true, index: false
    t.references :blob, null: false
    t.datetime :created_at, null: false
  end
end

class ApplicationMailbox < ActionMailbox::Base
  routing all: :shown
end

class ShownMailbox < ApplicationMailbox
  def process
    shown = { subject: mail.subject, from: mail.from, files: mail.attachments.map { |file| [file.filename, file.decoded.bytesize] } }
    File.write("#{ARGV.fetch(1)}/processed", "#{shown.to_json}\n", mode: 'a')
  end
end

server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: Integer(ARGV.fetch(2)), Logger: WEBrick::Log.new($stderr), AccessLog: [])
server.mount('/', Rack::Handler::WEBrick, App)
server.start
