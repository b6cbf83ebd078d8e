-- migration: serves from 0.2.0
-- The names that tables and columns had before 0013-partitions.sql.
drop view recipients, webhook_deliveries, workers;
