-- The names that tables and columns had before 0013-partitions.sql.
drop view recipients, webhook_deliveries, workers;
